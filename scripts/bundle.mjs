// @ts-check
// The last step of `npm run build`: puts the program and the library into a few files, over what tsc wrote for them. Loading
// two hundred small modules costs more than all of the rest of a short command (spec/decisions/0004-bundle.md). The files
// that tsc wrote for inner modules stay beside it, for their declarations and for scripts and benches that look inside.
import { isAbsolute, join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");

const bundle = await rolldown({
  cwd: root,
  input: { cli: "src/cli.ts", index: "src/index.ts", git: "src/hosts/git/git_port.ts", runner: "src/runner/index.ts" },
  platform: "node",
  // Packages stay packages: their licences, their fixes and their one copy with others are npm's business.
  external: (id, _importer, resolved) => !resolved && !id.startsWith(".") && !isAbsolute(id),
});

await bundle.write({
  dir: join(root, "dist"),
  format: "esm",
  sourcemap: true,
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
  codeSplitting: {
    groups: [
      // What several commands need to read arguments and print; a command's own code stays a file of its own.
      {
        name: "shared",
        test: /[\\/]src[\\/](errors\.|state[\\/]invisible\.|engine[\\/](reply|invisible|safe_text)\.|hosts[\\/](?!cli[\\/]call\.|mcp[\\/]))/,
        minShareCount: 2,
        priority: 2,
      },
      // Everything below the hosts and the runner, which starts processes and is asked for by few commands; --help and usage errors do without it.
      { name: "engine", test: /[\\/]src[\\/](?!hosts[\\/]|runner[\\/]|cli\.)/, priority: 1 },
    ],
  },
});
await bundle.close();
