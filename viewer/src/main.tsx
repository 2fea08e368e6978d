import { render } from "preact";
import { App } from "./app.tsx";
import { followChecks } from "./data/follow_checks.ts";
import { startLive } from "./data/live.ts";
import { followSettings } from "./settings.ts";

followSettings();
startLive();
followChecks();
render(<App />, document.getElementById("app")!);
