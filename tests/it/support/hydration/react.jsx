// The bakery by React.

import { useEffect, useState } from "react";
import { start } from "./router.js";

function Shop() {
  const [loaves, setLoaves] = useState(0);
  const [isWarm, setWarm] = useState(false);
  const [isTold, setTold] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setWarm(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <h1>Bread from Tern Street</h1>
      <p>
        We bake <b>slowly</b> and sell <a href="/menu">everything on the menu</a> until noon.
      </p>
      <p id="count">You ordered {loaves} loaves</p>
      <button id="add" title="One more loaf for your order" onClick={() => setLoaves(loaves + 1)}>
        Add a loaf
      </button>{" "}
      <input placeholder="Your name" aria-label="Name for the order" />
      <button id="reveal" onClick={() => setTold(true)}>
        Show the secret
      </button>
      <div className="late">
        {isWarm && <p>The oven is warm.</p>}
        {isTold && <p>The secret is a spoon of honey.</p>}
      </div>
    </>
  );
}

const breads = ["Rye bread", "White bread", "Seed rolls"];

const Menu = () => (
  <>
    <h1>What we sell today</h1>
    <p>
      Read <a href="/menu#cakes">what is sweet</a> or go <a href="/">back to the start</a>.
    </p>
    <p>There are {breads.length} kinds of bread</p>
    <ul>
      {breads.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
    <h2 id="cakes">Cakes</h2>
    <p>Plum cake on Fridays</p>
  </>
);

const pages = { home: Shop, menu: Menu, missing: () => <h1>Page not found</h1> };

export function App({ first }) {
  const [name, show] = useState(first);
  useEffect(() => start(show), []);
  const Page = pages[name];
  return (
    <>
      <nav aria-label="Pages of the bakery">
        <a href="/">Home</a> <a href="/menu">Menu</a>
      </nav>
      <main>
        <Page />
      </main>
    </>
  );
}
