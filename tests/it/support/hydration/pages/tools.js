// What scripts do with texts that are not theirs: they filter, sort, split, copy and shorten them, show the value of an
// attribute, and record page views and how often texts are read.
const by = (id) => document.getElementById(id);
const onClick = (id, work) => by(id).addEventListener("click", work);
const items = [...by("list").children];

// Both recorders come after the live script, and wrap what it wrapped.
const record = (window.record = { views: [], reads: 0 });
const { pushState } = history;
history.pushState = function (state, title, url) {
  record.views.push(url);
  return pushState.apply(this, arguments);
};
const own = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
const get = function () {
  record.reads += 1;
  return own.get.call(this);
};
Object.defineProperty(Node.prototype, "textContent", { ...own, get });

by("query").addEventListener("input", ({ target }) => {
  for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(target.value.toLowerCase());
});
onClick("sort", () => {
  items.sort((one, other) => (one.textContent < other.textContent ? -1 : 1));
  by("list").append(...items);
});
onClick("split", () => {
  const letters = [...by("line").textContent];
  by("line").replaceChildren(
    ...letters.map((letter) => Object.assign(document.createElement("span"), { textContent: letter })),
  );
});
onClick("copy", () => (by("copied").textContent = by("address").textContent));
let story;
onClick("more", () => {
  const { textContent } = by("story");
  by("story").textContent = story ?? `${textContent.slice(0, 15)}…`;
  story = story ? undefined : textContent;
});
by("hint").addEventListener("click", ({ target }) => (by("tooltip").textContent = target.getAttribute("title")));
onClick("turn", () => history.pushState(null, "", "?page=2"));
onClick("leave", () => history.pushState(null, "", "/policy.html"));
