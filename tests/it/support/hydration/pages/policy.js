// Draws the page again as a framework does: by the source's words, which it compares before.
document.getElementById("redraw").addEventListener("click", ({ target }) => {
  const warm = document.getElementById("warm");
  if (warm.textContent !== "The oven is warm") console.error(`a mismatch: ${warm.textContent}`);
  warm.replaceWith(Object.assign(document.createElement("p"), { id: "warm", textContent: "The oven is warm" }));
  target.setAttribute("title", "Draws this page again");
});
