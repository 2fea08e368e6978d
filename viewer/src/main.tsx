import { render } from "preact";
import { App } from "./app.tsx";
import { followChecks } from "./data/follow_checks.ts";
import { startLive } from "./data/live.ts";
import { forgetToken } from "./forget_token.ts";
import { followSettings, language } from "./settings.ts";
import { prepareFormats } from "./text/format.ts";
import { localeOf } from "./text/words.ts";

forgetToken();
followSettings();
startLive();
followChecks();
render(<App />, document.getElementById("app")!);
// Behind the first frame, and before the first answer.
requestAnimationFrame(() => setTimeout(() => prepareFormats(localeOf(language.get()))));
