// Writes the same words where they are translated and where the owner wants them as they are.
document.getElementById("redraw").addEventListener("click", () => {
  for (const id of ["name", "warm"]) {
    const written = document.createElement("i");
    written.id = id;
    written.textContent = "Bread of the day";
    document.getElementById(id).replaceWith(written);
  }
});
