// Shows how far a run is while its page is open. Without this, the page says how far it was when it was opened.
const run = document.querySelector("[data-run]");

async function look() {
  const answer = await fetch(run.dataset.run, { headers: { accept: "application/json" } });
  if (!answer.ok) return;
  const { over, stages, characters } = await answer.json();
  for (const stage of stages) {
    const row = run.querySelector(`[data-stage="${stage.name}"]`);
    for (const name of ["done", "total", "failed"]) row.querySelector(`[data-${name}]`).textContent = stage[name];
  }
  run.querySelector("[data-characters]").textContent = characters;
  // Without what the address says of the form that led here.
  if (over) location.replace(location.pathname);
}

if (run) {
  for (const text of run.querySelectorAll("[data-still]")) text.hidden = true;
  setInterval(() => document.hidden || look().catch(() => {}), 2000);
}
