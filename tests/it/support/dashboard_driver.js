// Uses the example dashboard as its owner would, and tells the test what there was to see.

const wait = async (what, done) => {
  for (let tries = 0; tries < 1200; tries++) {
    const found = done();
    if (found) return found;
    await new Promise((again) => setTimeout(again, 50));
  }
  throw new Error(`waited in vain for ${what}: ${document.body.innerText}`);
};
const row = (locale) => document.querySelector(`[data-locale="${locale}"]`);
const status = (locale) => row(locale)?.querySelector(".status").textContent;
const idle = () => [...document.querySelectorAll("button")].every((button) => !button.disabled);

async function drive({ server, token, page }) {
  const seen = {};
  document.querySelector("[name=server]").value = server;
  document.querySelector("[name=token]").value = token;
  document.querySelector("#login button").click();
  await wait("sites", () => row("ar"));
  seen.locales = [...document.querySelectorAll("[data-locale]")].map((row) => row.dataset.locale);
  document.querySelector(".rebuild").click();
  await wait("the run", () => document.querySelector(".run").textContent === "completed" && idle());
  seen.events = Number(document.querySelector(".site").dataset.events);
  seen.stages = [...document.querySelectorAll(".stages li")].map((stage) => stage.textContent);
  row("ar").querySelector("button").click();
  await wait("ar off", () => status("ar") === "disabled" && idle());
  seen.off = status("ar");
  row("ar").querySelector("button").click();
  await wait("ar on", () => status("ar") === "serving" && idle());
  seen.on = status("ar");
  document.querySelector("[name=sourceUrl]").value = page;
  document.querySelector("#preview button").click();
  await wait("the preview", () => !document.querySelector("#preview-page").hidden && idle());
  seen.preview = document.querySelector("#preview-status").textContent;
  seen.previewUrl = document.querySelector("#preview-page").src;
  seen.trouble = document.querySelector("#trouble").hidden ? null : document.querySelector("#trouble").textContent;
  document.querySelector("#preview").scrollIntoView();
  return seen;
}

fetch("/settings.json")
  .then((settings) => settings.json())
  .then(drive)
  .catch((error) => ({ error: String(error.stack ?? error) }))
  .then((seen) => fetch("/seen", { method: "POST", body: JSON.stringify(seen) }));
