// Answers each address of a page with the same one, as applications do that work offline.
const shell = "/router.html";
addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open("precache")
      .then((cache) => cache.add(shell))
      .then(() => skipWaiting()),
  );
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") event.respondWith(caches.match(shell));
});
