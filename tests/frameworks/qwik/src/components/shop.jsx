import { component$, useSignal, useVisibleTask$ } from "@builder.io/qwik";
import { loaf } from "../../shared/loaf.js";

export default component$(() => {
  const loaves = useSignal(0);
  const isWarm = useSignal(false);
  const isTold = useSignal(false);
  useVisibleTask$(() => {
    setTimeout(() => (isWarm.value = true), 500);
  });
  return (
    <section id="shop" aria-label="Order form">
      <p id="count">You ordered {loaves.value} loaves</p>
      <button id="add" type="button" title="One more loaf for your order" onClick$={() => loaves.value++}>
        Add a loaf
      </button>{" "}
      <input id="name" placeholder="Your name" aria-label="Name for the order" />
      <p>
        <img src={loaf} alt="A round loaf on a wooden table" width="32" height="32" />
      </p>
      <button id="reveal" type="button" onClick$={() => (isTold.value = true)}>
        Show the secret
      </button>
      <div style={{ minHeight: "12rem" }}>
        {isWarm.value && <p id="late">The oven is warm and the next batch is nearly done.</p>}
        {isTold.value && <p id="secret">The secret is a spoon of honey in the dough.</p>}
      </div>
    </section>
  );
});
