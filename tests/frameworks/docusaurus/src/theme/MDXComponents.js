import MDXComponents from "@theme-original/MDXComponents";
import Shop from "@site/shared/Shop";

export default { ...MDXComponents, Shop };
