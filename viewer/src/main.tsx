import { render } from "preact";
import { App } from "./app.tsx";
import { followChecks } from "./data/follow_checks.ts";
import { startLive } from "./data/live.ts";
import { forgetToken } from "./forget_token.ts";
import { followSettings } from "./settings.ts";

forgetToken();
followSettings();
startLive();
followChecks();
render(<App />, document.getElementById("app")!);
