// Texts that scripts put together: what stands between the pieces may be anything.
latimerWords.filled = (text, words) => {
  for (const [whole, ...pieces] of latimerWords.patterns) {
    const found = text.match(whole);
    const piece = (said) => (said.trim ? said : (words[found[said]]?.[1] ?? found[said]));
    if (found) return pieces.map(piece).join("");
  }
};
