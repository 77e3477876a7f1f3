// Keeps the text nodes of a paragraph, and takes them out and puts them back as React does. Where somebody wrapped or
// replaced them, `removeChild` and `insertBefore` throw (https://github.com/facebook/react/issues/11538).
const paragraph = document.getElementById("nodes");
const [first, bold, last] = paragraph.childNodes;
const other = document.createTextNode("The oven is warm ");
let isOther = false;

// Holds a sentence in three nodes that stands in one, as Preact does, and counts in the one between.
const count = document.getElementById("count");
count.firstChild.data = "You ordered ";
const loaves = document.createTextNode("0");
count.append(loaves, " loaves of rye");

function toggle() {
  loaves.data = String(Number(loaves.data || 0) + 1);
  isOther = !isOther;
  paragraph.insertBefore(isOther ? other : first, bold);
  paragraph.removeChild(isOther ? first : other);
  paragraph.removeChild(last);
  paragraph.insertBefore(last, null);
  bold.firstChild.data = "rests";
}

// Puts a sentence together of its own words and those of the page.
document.getElementById("news").textContent = `Next to come: ${document.querySelector("h1").textContent}`;

toggle();
addEventListener("load", toggle);
document.getElementById("toggle").addEventListener("click", toggle);
