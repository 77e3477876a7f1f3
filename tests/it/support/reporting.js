// A shop that draws itself, and what must never be told of it.
document.cookie = "who=ana";
const root = document.getElementById("root");
const add = (html) => root.insertAdjacentHTML("beforeend", html);
add('<p>Your cart is empty</p><button title="Open the cart">…</button>');
add("<p>You ordered 3 loaves</p><p>ana@example.com</p><p translate=no>Not this</p><code>nor_this</code>");
add('<p contenteditable title="A note of mine">My own words</p><textarea placeholder="Tell us">My letter</textarea>');
add('<input value="My name" placeholder="Your name"><input type=button value="Never mind">');
const hello = document.createElement("p");
hello.append("Hello ", "Ana");
root.append(hello);
add(`<p>${"long ".repeat(60)}</p><p>Shop</p>`);
setTimeout(() => add("<p>Late news</p>"), 300);
