import DefaultTheme from "vitepress/theme";
import Shop from "../../shared/Shop.vue";

export default { extends: DefaultTheme, enhanceApp: ({ app }) => app.component("Shop", Shop) };
