/** Every command, in the order of help and completion. A start makes the record of the command that it runs, and no other. */
import type { CommandDefinition } from "../command/define.ts";
import { command as init } from "./init.ts";
import { command as add } from "./add.ts";
import { command as plan } from "./plan.ts";
import { command as note } from "./note.ts";
import { command as edit } from "./edit.ts";
import { command as rm } from "./rm.ts";
import { command as complete } from "./complete.ts";
import { command as done } from "./done.ts";
import { command as run } from "./run.ts";
import { command as prove } from "./prove.ts";
import { command as reopen } from "./reopen.ts";
import { command as block } from "./block.ts";
import { command as unblock } from "./unblock.ts";
import { command as claim } from "./claim.ts";
import { command as release } from "./release.ts";
import { command as show } from "./show.ts";
import { command as ready } from "./ready.ts";
import { command as status } from "./status.ts";
import { command as board } from "./board.ts";
import { command as whoami } from "./whoami.ts";
import { command as search } from "./search.ts";
import { command as open } from "./open.ts";
import { command as watch } from "./watch.ts";
import { command as doctor } from "./doctor.ts";
import { command as completion } from "./completion.ts";
import { command as onboard } from "./onboard.ts";
import { command as prime } from "./prime.ts";
import { command as call } from "./call.ts";
import { command as radar } from "./radar.ts";
import { command as handoff } from "./handoff.ts";
import { command as list } from "./list.ts";
import { command as archive } from "./archive.ts";
import { command as restore } from "./restore.ts";
import { command as log } from "./log.ts";
import { command as history } from "./history.ts";
import { command as delta } from "./delta.ts";
import { command as undo } from "./undo.ts";
import { command as redo } from "./redo.ts";
import { command as verify } from "./verify.ts";
import { command as attest } from "./attest.ts";
import { command as sign } from "./sign.ts";
import { command as rebuild } from "./rebuild.ts";
import { command as resolve } from "./resolve.ts";
import { command as adopt } from "./adopt.ts";
import { command as taskdoc } from "./taskdoc.ts";
import { command as packet } from "./packet.ts";
import { command as git } from "./git.ts";
import { command as diff } from "./diff.ts";
import { command as shared } from "./shared.ts";
import { command as importTracker } from "./import.ts";
import { command as exportTasks } from "./export.ts";
import { command as tools } from "./tools.ts";
import { command as mcp } from "./mcp.ts";
import { command as view } from "./view.ts";
import { command as completeWords } from "./complete_words.ts";
import { command as help } from "./help.ts";

const MAKERS: Readonly<Record<string, () => CommandDefinition>> = {
  init,
  add,
  plan,
  note,
  edit,
  rm,
  complete,
  done,
  run,
  prove,
  reopen,
  block,
  unblock,
  claim,
  release,
  show,
  ready,
  status,
  board,
  whoami,
  search,
  open,
  watch,
  doctor,
  completion,
  onboard,
  prime,
  call,
  radar,
  handoff,
  list,
  archive,
  restore,
  log,
  history,
  delta,
  undo,
  redo,
  verify,
  attest,
  sign,
  rebuild,
  resolve,
  adopt,
  taskdoc,
  packet,
  git,
  diff,
  shared,
  import: importTracker,
  export: exportTasks,
  tools,
  mcp,
  view,
  __complete: completeWords,
  help,
};

let made: readonly CommandDefinition[] | undefined;

export function commands(): readonly CommandDefinition[] {
  return (made ??= Object.values(MAKERS).map((make) => make()));
}

/** The commands of these names; where there are none, those of these aliases. */
export function commandsNamed(names: readonly string[]): readonly CommandDefinition[] {
  const found = [...new Set(names)].filter((name) => Object.hasOwn(MAKERS, name)).map((name) => MAKERS[name]!());
  return found.length > 0 ? found : commands().filter(({ aliases }) => aliases?.some((alias) => names.includes(alias)));
}
