"use client";
// What only a script can show: a counter, a sentence put in after start, one put in after a click.
import { useEffect, useState } from "react";
import { loaf } from "./loaf.js";

export default function Shop() {
  const [loaves, setLoaves] = useState(0);
  const [isWarm, setWarm] = useState(false);
  const [isTold, setTold] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setWarm(true), 500);
    return () => clearTimeout(timer);
  }, []);
  return (
    <section id="shop" aria-label="Order form">
      <p id="count">You ordered {loaves} loaves</p>
      <button id="add" type="button" title="One more loaf for your order" onClick={() => setLoaves(loaves + 1)}>
        Add a loaf
      </button>{" "}
      <input id="name" placeholder="Your name" aria-label="Name for the order" />
      <p>
        <img src={loaf} alt="A round loaf on a wooden table" width="32" height="32" />
      </p>
      <button id="reveal" type="button" onClick={() => setTold(true)}>
        Show the secret
      </button>
      <div style={{ minHeight: "12rem" }}>
        {isWarm && <p id="late">The oven is warm and the next batch is nearly done.</p>}
        {isTold && <p id="secret">The secret is a spoon of honey in the dough.</p>}
      </div>
    </section>
  );
}
