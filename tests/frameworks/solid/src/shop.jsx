// What only a script can show: a counter, a sentence put in after start, one put in after a click.
import { createSignal, onCleanup, onMount, Show } from "solid-js";
import { loaf } from "../shared/loaf.js";

export default function Shop() {
  const [loaves, setLoaves] = createSignal(0);
  const [isWarm, setWarm] = createSignal(false);
  const [isTold, setTold] = createSignal(false);
  onMount(() => {
    const timer = setTimeout(() => setWarm(true), 500);
    onCleanup(() => clearTimeout(timer));
  });
  return (
    <section id="shop" aria-label="Order form">
      <p id="count">You ordered {loaves()} loaves</p>
      <button id="add" type="button" title="One more loaf for your order" onClick={() => setLoaves(loaves() + 1)}>
        Add a loaf
      </button>{" "}
      <input id="name" placeholder="Your name" aria-label="Name for the order" />
      <p>
        <img src={loaf} alt="A round loaf on a wooden table" width="32" height="32" />
      </p>
      <button id="reveal" type="button" onClick={() => setTold(true)}>
        Show the secret
      </button>
      <div style={{ "min-height": "12rem" }}>
        <Show when={isWarm()}>
          <p id="late">The oven is warm and the next batch is nearly done.</p>
        </Show>
        <Show when={isTold()}>
          <p id="secret">The secret is a spoon of honey in the dough.</p>
        </Show>
      </div>
    </section>
  );
}
