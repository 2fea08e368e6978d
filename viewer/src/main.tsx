import { render } from "preact";
import { App } from "./app.tsx";
import { startLive } from "./data/live.ts";
import { followSettings } from "./settings.ts";

followSettings();
startLive();
render(<App />, document.getElementById("app")!);
