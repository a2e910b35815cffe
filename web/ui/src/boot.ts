/** Sets language and colours before anything is drawn, so that nothing flickers. */
import { applyTheme } from "./theme";
import { language } from "./i18n";

applyTheme();
document.documentElement.lang = language() === "zh" ? "zh-CN" : "en";
