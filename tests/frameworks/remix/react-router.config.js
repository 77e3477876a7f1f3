// Every page rendered at build time, as its documentation shows for sites without a server.
export default { ssr: false, prerender: ["/", "/menu", "/guide/baking"] };
