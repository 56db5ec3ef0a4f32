import { type Argument, Command, Help, type HelpConfiguration, Option } from 'commander';
import type { PlainKey } from '../contract/messages/message-for.ts';
import { languages } from '../contract/messages/languages.ts';
import { t, sayText, type MessageKey } from '../contract/messages/words.ts';
import { packageVersion } from '../host/package-folder.ts';
import type { Shell } from './shell.ts';
import { addWords, type Perform, type Verb } from './verb.ts';
import { displayWidth, withSmallLetter } from './output/text.ts';

type Load = () => Promise<{ readonly verbs: readonly Verb[] }>;

/** A first word of `dailies`: its help, its usage where it is a verb itself, and the file of its verbs. */
type Root = readonly [help: PlainKey, usage: string, load: Load];

const ROOTS: Readonly<Record<string, Root>> = {
  demo: ['cli.helpDemo', '[options]', () => import('./commands/demo.ts')],
  run: ['cli.helpRun', '[options] <LIST>', () => import('./commands/run.ts')],
  resume: ['cli.helpResume', '[options]', () => import('./commands/run.ts')],
  worker: ['cli.helpWorker', '[options]', () => import('./commands/worker.ts')],
  serve: ['cli.helpServe', '[options]', () => import('./commands/serve.ts')],
  status: ['cli.helpStatus', '[options]', () => import('./commands/jobs.ts')],
  spend: ['cli.helpSpend', '[options]', () => import('./commands/spend.ts')],
  stats: ['cli.helpStats', '[options]', () => import('./commands/spend.ts')],
  report: ['cli.helpReport', '[options]', () => import('./commands/report.ts')],
  history: ['cli.helpHistory', '[options]', () => import('./commands/report.ts')],
  cap: ['cli.helpCap', '[options]', () => import('./commands/spend.ts')],
  window: ['cli.helpWindow', '[options] [HOURS]', () => import('./commands/window.ts')],
  models: ['cli.helpModels', '', () => import('./commands/doctor.ts')],
  doctor: ['cli.helpDoctor', '[options]', () => import('./commands/doctor.ts')],
  verify: ['cli.helpVerify', '[options] <PATH>', () => import('./commands/projects.ts')],
  projects: ['cli.helpProjects', '', () => import('./commands/projects.ts')],
  batches: ['cli.helpBatches', '', () => import('./commands/projects.ts')],
  jobs: ['cli.helpJobs', '', () => import('./commands/jobs.ts')],
  takes: ['cli.helpTakes', '', () => import('./commands/takes.ts')],
  cut: ['cli.helpCut', '', () => import('./commands/cut.ts')],
  reel: ['cli.helpReel', '[options]', () => import('./commands/reel.ts')],
  views: ['cli.helpViews', '', () => import('./commands/projects.ts')],
  assets: ['cli.helpAssets', '', () => import('./commands/assets.ts')],
  prompts: ['cli.helpPrompts', '', () => import('./commands/prompts.ts')],
  presets: ['cli.helpPresets', '', () => import('./commands/prompts.ts')],
  shots: ['cli.helpShots', '', () => import('./commands/shots.ts')],
  describe: ['cli.helpDescribe', '[options] <PICTURE>', () => import('./commands/research.ts')],
  search: ['cli.helpSearch', '[options] <TEXT>', () => import('./commands/research.ts')],
  research: ['cli.helpResearch', '', () => import('./commands/research.ts')],
  accounts: ['cli.helpAccounts', '', () => import('./commands/accounts.ts')],
  config: ['cli.helpConfig', '', () => import('./commands/config.ts')],
  messages: ['cli.helpMessages', '', () => import('./commands/config.ts')],
  studio: ['cli.helpStudio', '', () => import('./commands/studio.ts')],
  mcp: ['cli.helpMcp', '[options]', () => import('./commands/mcp.ts')],
  service: ['cli.helpService', '[options]', () => import('./commands/demo.ts')],
};

/** Second words that are no verbs themselves. */
const GROUPS: Readonly<Record<string, PlainKey>> = {
  'assets group': 'cli.helpGroup',
  'prompts variables': 'cli.helpVariables',
};

/** The command line for these arguments, or all of it. Loads only words they name: all would slow `--help` down. */
export async function buildProgram(
  perform: Perform,
  shell: Pick<Shell, 'stdout' | 'stderr'>,
  args?: readonly string[],
): Promise<Command> {
  const program = new Command('dailies')
    .description(t('cli.help'))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
      outputError: (text, write) => write(`${errorInWords(text)}\n`),
    })
    .helpOption('-h, --help', t('cli.optHelp'))
    .helpCommand('help [command]', t('cli.optHelp'))
    .configureHelp({ ...helpInWords, subcommandTerm: toTerm })
    .showHelpAfterError(t('cli.helpHint'))
    .option('--data <dir>', t('cli.optData'))
    .option('--base-url <url>', t('cli.optBaseUrl'))
    .option('--account <name>', t('cli.optAccount'))
    .addOption(new Option('--lang <language>', t('cli.optLang')).choices(languages))
    .version(packageVersion(), '-V, --version', t('cli.optVersion'));

  for (const [name, [help, , load]] of Object.entries(ROOTS)) {
    const command = program.command(name).description(t(help));
    if (args && !args.includes(name)) continue;
    const { verbs } = await load();
    for (const verb of verbs.filter((each) => each.name.split(' ', 1)[0] === name)) addVerb(command, verb, perform);
  }
  return program;
}

function addVerb(root: Command, verb: Verb, perform: Perform): void {
  const [, ...names] = verb.name.split(' ');
  const command = names.reduce((above, each) => {
    const known = above.commands.find((other) => other.name() === each);
    if (known) return known;
    const group = GROUPS[`${root.name()} ${each}`];
    return above.command(each).description(group && above === root ? t(group) : '');
  }, root);
  addWords(command.description(withSmallLetter(t(verb.help))), verb.words);
  command.action(perform(verb));
}

/** A command in the list of its siblings; one that was not loaded has no options of its own to count. */
function toTerm(command: Command): string {
  const usage = command.parent?.parent ? undefined : ROOTS[command.name()]?.[1];
  const term =
    usage === undefined
      ? Help.prototype.subcommandTerm.call(new Help(), command)
      : `${command.name()} ${usage}`.trimEnd();
  return term.replace('[options]', t('cli.usageOptions'));
}

/** Texts that Commander prints, which it has only in English. */

const helpInWords: HelpConfiguration = {
  styleTitle: (title) => sayText(TITLES[title] === undefined ? title : { key: TITLES[title] }),
  styleUsage: (usage) => usage.replace('[options]', t('cli.usageOptions')).replace('[command]', t('cli.usageCommand')),
  optionDescription: (option) => withNotes(option, option.required || option.optional),
  argumentDescription: (argument) => withNotes(argument, true),
  displayWidth: (text) => displayWidth(text),
};

const TITLES: Readonly<Record<string, MessageKey>> = {
  'Usage:': 'cli.titleUsage',
  'Arguments:': 'cli.titleArguments',
  'Options:': 'cli.titleOptions',
  'Commands:': 'cli.titleCommands',
};

function withNotes({ description, argChoices, defaultValue }: Option | Argument, showsDefault: boolean): string {
  const named = argChoices && t('cli.noteChoices', { values: argChoices.join(', ') });
  const isShown = showsDefault && defaultValue !== undefined && !Array.isArray(defaultValue);
  const usual = isShown ? JSON.stringify(defaultValue) : undefined;
  const notes = [named, usual && t('cli.noteDefault', { value: usual })].filter((note) => note !== undefined);
  return [description, ...notes].join(' ').trim();
}

const shapes: readonly (readonly [RegExp, MessageKey])[] = [
  [/^unknown option '(?<name>.*?)'/, 'cli.unknownOption'],
  [/^unknown command '(?<name>.*?)'/, 'cli.unknownCommand'],
  [/^missing required argument '(?<name>.*?)'/, 'cli.missingArgument'],
  [/^required option '(?<name>.*?)' not specified/, 'cli.missingArgument'],
  [/^option '(?<name>.*?)' argument missing/, 'cli.missingValue'],
  [/^option '(?<name>.*?)' cannot be used with option '(?<other>.*?)'/, 'cli.conflictingOption'],
  [/^too many arguments/, 'cli.tooManyArguments'],
  [/^option '(?<name>.*?)' argument '(?<value>.*)' is invalid\. (?<reason>.*)/s, 'cli.unfitValue'],
  [/^command-argument value '(?<value>.*)' is invalid for argument '(?<name>.*?)'\. (?<reason>.*)/s, 'cli.unfitValue'],
];

function reasonInWords(reason: string): string {
  const values = /^Allowed choices are (?<values>.*)\.$/.exec(reason)?.groups?.['values'];
  return values === undefined ? reason : t('cli.allowedValues', { values });
}

function errorInWords(message: string): string {
  const told = message.replace(/^error: /, '').trim();
  for (const [shape, key] of shapes) {
    const facts = shape.exec(told)?.groups ?? (shape.test(told) ? {} : null);
    if (!facts) continue;
    const names = /\(Did you mean (?:one of )?(?<names>.*)\?\)$/.exec(told)?.groups?.['names'];
    const text = sayText({ key, values: { ...facts, reason: reasonInWords(facts['reason'] ?? '') } });
    return names === undefined ? text : `${text}\n${t('remedy.didYouMean', { name: names })}`;
  }
  return told;
}
