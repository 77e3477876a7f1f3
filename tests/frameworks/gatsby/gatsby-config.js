module.exports = { jsxRuntime: "automatic", trailingSlash: "never" };
