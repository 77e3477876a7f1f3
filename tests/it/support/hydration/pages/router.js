// Goes by the address, as routers do: where it has no page for one, it says so.
const route = () => {
  if (!["/router", "/router.html"].includes(location.pathname)) {
    document.getElementById("heading").textContent = "Page Not Found";
  }
};
window.record = { first: location.pathname };
route();
addEventListener("popstate", route);
