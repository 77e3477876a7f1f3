import { renderToStream } from "@builder.io/qwik/server";
import Root from "./root";

export default (options) =>
  renderToStream(<Root />, { ...options, containerAttributes: { lang: "en", ...options.containerAttributes } });
