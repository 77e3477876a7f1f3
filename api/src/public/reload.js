// Loads this page again as soon as a newer deployment of its site is served. Only `latimer watch` sends it.
(() => {
  const { site, deployment } = document.currentScript.dataset;
  // A page's <base> counts for neither of these.
  const address = new URL("/_latimer/reload", location.href);
  let stream = null;
  const heard = (event) => {
    if (String(JSON.parse(event.data)[site]) !== deployment) location.reload();
  };
  const close = () => {
    stream?.close();
    stream = null;
  };
  const open = () => {
    // Browsers keep six connections to a host: a page that nobody sees needs none.
    if (stream || document.hidden) return;
    stream = new EventSource(address);
    stream.addEventListener("status", heard);
    stream.addEventListener("progress", heard);
    stream.addEventListener("error", () => {
      if (stream?.readyState !== EventSource.CLOSED) return;
      close();
      setTimeout(open, 1000);
    });
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  open();
})();
