import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { TakeOrder } from '../contract/batch.ts';
import type { JobStateName, Standing } from '../contract/job.ts';
import { allKinds } from '../contract/kinds/all.ts';
import type { SecretChannel } from '../contract/night-messages.ts';
import { languages } from '../contract/messages/languages.ts';
import { say } from '../contract/messages/words.ts';
import { complaintInWords, helpInWords } from './commander-words.ts';
import { addAssets } from './assets-program.ts';
import type { FaultWordName } from './demo/fault-words.ts';
import { packageVersion } from '../host/package-folder.ts';
import type { Perform } from './session.ts';
import type { Shell } from './shell.ts';

// The words of the contract, repeated because loading its schemas would cost `--help` more than everything else.
const standings: readonly Standing[] = ['saved', 'failed', 'unknown', 'cancelled', 'unfinished'];
const takeOrders: readonly TakeOrder[] = ['list', 'scout'];
const stateNames: readonly JobStateName[] = [
  'needs_assets',
  'ready',
  'submitting',
  'accepted',
  'polling',
  'downloading',
  'saved',
  'submit_unknown',
  'rejected',
  'remote_failed',
  'remote_cancelled',
  'download_blocked',
  'result_lost',
  'cancelled',
];

const secretChannels: readonly SecretChannel[] = ['webhook', 'ntfy', 'slack', 'discord', 'mail'];

const faultNames: readonly FaultWordName[] = ['busy', 'drip', 'reset', 'html', 'cut'];

/**
 * The whole command line. Loads nothing but the words: each command's code is loaded when it is performed.
 */
export function buildProgram(perform: Perform, shell: Shell): Command {
  const program = new Command('dailies')
    .description(say('cli.help'))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
      outputError: (text, write) => write(`${complaintInWords(text)}\n`),
    })
    .helpOption('-h, --help', say('cli.optHelp'))
    .helpCommand('help [command]', say('cli.optHelp'))
    .configureHelp(helpInWords)
    .showHelpAfterError(say('cli.helpHint'))
    .option('--data <dir>', say('cli.optData'))
    .option('--base-url <url>', say('cli.optBaseUrl'))
    .addOption(new Option('--lang <language>', say('cli.optLang')).choices(languages))
    .version(packageVersion(), '-V, --version', say('cli.optVersion'));

  addRunning(program, perform);
  addServing(program, perform);
  addLooking(program, perform);
  addProjects(program, perform);
  addBatches(program, perform);
  addJobs(program, perform);
  addTakes(program, perform);
  addAssets(program, perform);
  addPrompts(program, perform);
  addDescribe(program, perform);
  addSearch(program, perform);
  addResearch(program, perform);
  addSetup(program, perform);
  return program;
}

const jsonOption = () => new Option('--json', say('cli.optJsonSummary'));
const projectOption = (help: string) => new Option('--project <dir>', help);

function addRunning(program: Command, perform: Perform): void {
  program
    .command('demo')
    .description(say('cli.helpDemo'))
    .option('--out <dir>', say('cli.optDemoOut'))
    .option('--shots <n>', say('cli.optDemoShots'), count)
    .option('--all', say('cli.optDemoAll'))
    .addOption(new Option('--fault <words...>', say('cli.optDemoFault')).choices(faultNames))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/demo.ts')).demo(session, options)));

  program
    .command('run')
    .description(say('cli.helpRun'))
    .argument('<LIST>', say('cli.argList'))
    .requiredOption('--project <dir>', say('cli.optRunProject'))
    .option('--batch <name>', say('cli.optRunBatch'))
    .addOption(new Option('--kind <kind>', say('cli.optRunKind')).choices(allKinds.map(({ kind }) => kind)))
    .option('--again', say('cli.optRunAgain'))
    .option('--sheet <name>', say('cli.optSheet'))
    .option('--encoding <name>', say('cli.optEncoding'))
    .option(
      '--allow-file <path>',
      say('cli.optAllowFile'),
      (path: string, before: readonly string[]) => [...before, path],
      [] as readonly string[],
    )
    .option('--max-spend <amount>', say('cli.optMaxSpend'), amount)
    .option('--max-takes <n>', say('cli.optMaxTakes'), count)
    .option('--window <hours>', say('cli.optWindow'))
    .option('--days <days>', say('cli.optWindowDays'))
    .option('--time-zone <zone>', say('cli.optTimeZone'))
    .addOption(new Option('--order <order>', say('cli.optOrder')).choices(takeOrders))
    .option('--dry-run', say('cli.optDryRun'))
    .option('--offline', say('cli.optOffline'))
    .addOption(jsonOption())
    .action((list, options) =>
      perform(async (session) => (await import('./commands/run.ts')).run(session, { list, ...options })),
    );

  program
    .command('resume')
    .description(say('cli.helpResume'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--window <hours>', say('cli.optWindow'))
    .option('--days <days>', say('cli.optWindowDays'))
    .option('--time-zone <zone>', say('cli.optTimeZone'))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/resume.ts')).resume(session, options)));
}

function addServing(program: Command, perform: Perform): void {
  program
    .command('serve')
    .description(say('cli.helpServe'))
    .option('--port <n>', say('cli.optServePort'), portNumber)
    .option('--open', say('cli.optServeOpen'))
    .action((options) => perform(async (session) => (await import('./commands/serve.ts')).serve(session, options)));
}

function addLooking(program: Command, perform: Perform): void {
  program
    .command('status')
    .description(say('cli.helpStatus'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--watch', say('cli.optStatusWatch'))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/status.ts')).status(session, options)));

  program
    .command('spend')
    .description(say('cli.helpSpend'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--batch <name>', say('cli.optBatch'))
    .addOption(
      new Option('--by <what>', say('cli.optSpendBy'))
        .choices(['model', 'batch', 'project', 'night', 'day', 'month', 'shot', 'take', 'tool'])
        .default('model'),
    )
    .option('--csv <file>', say('cli.optSpendCsv'))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/spend.ts')).spend(session, options)));

  program
    .command('stats')
    .description(say('cli.helpStats'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--since <time>', say('cli.optStatsSince'))
    .addOption(new Option('--by <period>', say('cli.optStatsBy')).choices(['day', 'week', 'month']).default('month'))
    .addOption(new Option('--csv <file>', say('cli.optStatsCsv')).conflicts('json'))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/stats.ts')).stats(session, options)));

  program
    .command('report')
    .description(say('cli.helpReport'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--since <time>', say('cli.optReportSince'))
    .option('--until <time>', say('cli.optReportUntil'))
    .option('--html', say('cli.optReportHtml'))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/report.ts')).report(session, options)));

  program
    .command('history')
    .description(say('cli.helpHistory'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--since <time>', say('cli.optHistorySince'))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/history.ts')).history(session, options)));

  program
    .command('cap')
    .description(say('cli.helpCap'))
    .addOption(projectOption(say('cli.optCapProject')))
    .option('--batch <name>', say('cli.optBatch'))
    .option('--max-spend <amount>', say('cli.optCapSpend'), amount)
    .option('--max-takes <n>', say('cli.optCapTakes'), count)
    .option('--remove', say('cli.optCapRemove'))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/spend.ts')).cap(session, options)));

  program
    .command('window')
    .description(say('cli.helpWindow'))
    .argument('[HOURS]', say('cli.argHours'))
    .requiredOption('--project <dir>', say('cli.optProjectFolder'))
    .option('--batch <name>', say('cli.optWindowBatch'))
    .option('--days <days>', say('cli.optWindowDays'))
    .option('--time-zone <zone>', say('cli.optTimeZone'))
    .option('--remove', say('cli.optWindowRemove'))
    .option('--start-now', say('cli.optStartNow'))
    .addOption(jsonOption())
    .action((hours, options) =>
      perform(async (session) =>
        (await import('./commands/window.ts')).nightWindow(session, { ...(hours && { hours }), ...options }),
      ),
    );

  program
    .command('models')
    .description(say('cli.helpModels'))
    .action(() => perform(async (session) => (await import('./commands/models.ts')).models(session), true));

  program
    .command('doctor')
    .description(say('cli.helpDoctor'))
    .addOption(projectOption(say('cli.optDoctorProject')))
    .action((options) =>
      perform(async (session) => (await import('./commands/doctor.ts')).doctor(session, options), true),
    );
}

function addProjects(program: Command, perform: Perform): void {
  program
    .command('verify')
    .description(say('cli.helpVerify'))
    .addOption(projectOption(say('cli.optVerifyProject')).makeOptionMandatory())
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/verify.ts')).verify(session, options)));

  const projects = program.command('projects').description(say('cli.helpProjects'));
  const folder = () => projectOption(say('cli.optProjectFolder')).makeOptionMandatory();

  projects
    .command('list')
    .description(say('cli.helpProjectsList'))
    .option('--archived', say('cli.optArchived'))
    .addOption(jsonOption())
    .action((options) =>
      perform(async (session) => (await import('./commands/projects.ts')).listProjects(session, options)),
    );

  projects
    .command('rename')
    .description(say('cli.helpProjectsRename'))
    .argument('<NAME>', say('cli.argNewName'))
    .addOption(folder())
    .action((name, options) =>
      perform(async (session) => (await import('./commands/projects.ts')).renameProject(session, { name, ...options })),
    );

  projects
    .command('facts')
    .description(say('cli.helpProjectsFacts'))
    .addOption(folder())
    .addOption(jsonOption())
    .action((options) =>
      perform(async (session) => (await import('./commands/project-facts.ts')).projectFacts(session, options)),
    );

  projects
    .command('export')
    .description(say('cli.helpProjectsExport'))
    .addOption(folder())
    .requiredOption('--to <dir>', say('cli.optExportTo'))
    .addOption(jsonOption())
    .action((options) =>
      perform(async (session) => (await import('./commands/projects.ts')).exportWholeProject(session, options)),
    );

  for (const [name, help] of [
    ['archive', say('cli.helpProjectsArchive')],
    ['unarchive', say('cli.helpProjectsUnarchive')],
  ] as const) {
    projects
      .command(name)
      .description(help)
      .addOption(folder())
      .action((options) =>
        perform(async (session) => (await import('./commands/projects.ts')).archiveProject(session, name, options)),
      );
  }
}

function addBatches(program: Command, perform: Perform): void {
  const batches = program.command('batches').description(say('cli.helpBatches'));
  const folder = () => projectOption(say('cli.optProjectFolder')).makeOptionMandatory();
  const load = () => import('./commands/batches.ts');

  batches
    .command('list')
    .description(say('cli.helpBatchesList'))
    .addOption(folder())
    .option('--archived', say('cli.optArchived'))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await load()).listBatches(session, options)));

  batches
    .command('rename')
    .description(say('cli.helpBatchesRename'))
    .argument('<BATCH>', say('cli.argBatch'))
    .argument('<NAME>', say('cli.argNewName'))
    .addOption(folder())
    .action((batch, name, options) =>
      perform(async (session) => (await load()).renameBatch(session, { batch, name, ...options })),
    );

  for (const [action, help] of [
    ['archive', say('cli.helpBatchesArchive')],
    ['unarchive', say('cli.helpBatchesUnarchive')],
  ] as const) {
    batches
      .command(action)
      .description(help)
      .argument('<BATCH>', say('cli.argBatch'))
      .addOption(folder())
      .action((batch, options) =>
        perform(async (session) => (await load()).archiveBatch(session, action, { batch, ...options })),
      );
  }

  batches
    .command('note')
    .description(say('cli.helpBatchesNote'))
    .argument('<BATCH>', say('cli.argBatch'))
    .argument('<TEXT>', say('cli.argNote'))
    .addOption(folder())
    .action((batch, text, options) =>
      perform(async (session) => (await load()).noteBatch(session, { batch, text, ...options })),
    );

  batches
    .command('duplicate')
    .description(say('cli.helpBatchesDuplicate'))
    .argument('<BATCH>', say('cli.argBatch'))
    .addOption(folder())
    .option('--as <name>', say('cli.optCopyAs'))
    .action((batch, options) =>
      perform(async (session) => (await load()).duplicateBatch(session, { batch, ...options })),
    );
}

function addJobs(program: Command, perform: Perform): void {
  const jobs = program.command('jobs').description(say('cli.helpJobs'));
  const batchOption = () => new Option('--batch <name>', say('cli.optBatch'));

  jobs
    .command('list')
    .description(say('cli.helpJobsList'))
    .addOption(projectOption(say('cli.optProject')))
    .addOption(batchOption())
    .addOption(new Option('--state <state>', say('cli.optState')).choices(stateNames))
    .addOption(new Option('--standing <standing>', say('cli.optStanding')).choices(standings))
    .addOption(jsonOption())
    .action((options) =>
      perform(async (session) => (await import('./commands/jobs-list.ts')).listJobs(session, options)),
    );

  jobs
    .command('retry')
    .description(say('cli.helpJobsRetry'))
    .argument('[IDS...]', say('cli.argJobIds'))
    .option('--all-failed', say('cli.optAllFailed'))
    .addOption(projectOption(say('cli.optAllFailedProject')))
    .addOption(batchOption())
    .option('--yes', say('cli.optYesCharges'))
    .action((ids, options) =>
      perform(async (session) => (await import('./commands/jobs-decide.ts')).retryJobs(session, { ids, ...options })),
    );

  jobs
    .command('cancel')
    .description(say('cli.helpJobsCancel'))
    .argument('[IDS...]', say('cli.argJobIds'))
    .option('--all-failed', say('cli.optCancelAllFailed'))
    .option('--all-unfinished', say('cli.optAllUnfinished'))
    .addOption(projectOption(say('cli.optAllProject')))
    .addOption(batchOption())
    .action((ids, options) =>
      perform(async (session) => (await import('./commands/jobs-decide.ts')).cancelJobs(session, { ids, ...options })),
    );

  jobs
    .command('resolve')
    .description(say('cli.helpJobsResolve'))
    .argument('<ID>', say('cli.argJobId'))
    .addOption(new Option('--attach <task>', say('cli.optAttach')).conflicts(['accept', 'lost', 'resubmit']))
    .addOption(
      new Option('--accept [address]', say('cli.optAccept')).preset(true).conflicts(['attach', 'lost', 'resubmit']),
    )
    .addOption(new Option('--lost', say('cli.optLost')).conflicts(['accept', 'attach', 'resubmit']))
    .addOption(new Option('--resubmit', say('cli.optResubmit')).conflicts(['accept', 'attach', 'lost']))
    .option('--yes', say('cli.optYesSecond'))
    .action((id, options) =>
      perform(async (session) => (await import('./commands/jobs-decide.ts')).resolveJob(session, { id, ...options })),
    );
}

function addTakes(program: Command, perform: Perform): void {
  const takes = program.command('takes').description(say('cli.helpTakes'));

  takes
    .command('list')
    .description(say('cli.helpTakesList'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--batch <name>', say('cli.optBatch'))
    .option('--where <query>', say('cli.optWhere'))
    .option('--view <name>', say('cli.optView'))
    .addOption(jsonOption())
    .action((options) =>
      perform(async (session) => (await import('./commands/takes-list.ts')).listTakes(session, options)),
    );

  for (const name of ['tag', 'untag'] as const) {
    takes
      .command(name)
      .description(say(name === 'tag' ? 'cli.helpTakesTag' : 'cli.helpTakesUntag'))
      .argument('<TAGS...>', say('cli.argTags'))
      .addOption(projectOption(say('cli.optProject')))
      .option('--batch <name>', say('cli.optBatch'))
      .option('--where <query>', say('cli.optWhere'))
      .option('--take <ids...>', say('cli.optTakes'))
      .addOption(jsonOption())
      .action((tags, options) =>
        perform(async (session) =>
          (await import('./commands/takes-tag.ts')).tagTakes(session, { tags, removes: name === 'untag', ...options }),
        ),
      );
  }

  for (const name of ['trash', 'restore', 'keep'] as const) {
    const command = takes
      .command(name)
      .description(say(`cli.helpTakes.${name}`))
      .addOption(projectOption(say('cli.optProject')))
      .option('--batch <name>', say('cli.optBatch'))
      .option('--where <query>', say(name === 'keep' ? 'cli.optKeepWhere' : 'cli.optWhere'))
      .option('--dry-run', say('cli.optTrashDryRun'))
      .addOption(jsonOption());
    if (name !== 'keep') command.option('--take <ids...>', say('cli.optTakes'));
    command.action((options) =>
      perform(async (session) => {
        const { trashTakes, restoreTakes, keepTakes } = await import('./commands/takes-trash.ts');
        return { trash: trashTakes, restore: restoreTakes, keep: keepTakes }[name](session, options);
      }),
    );
  }

  takes
    .command('empty-trash')
    .description(say('cli.helpEmptyTrash'))
    .addOption(projectOption(say('cli.optProject')).makeOptionMandatory())
    .option('--yes', say('cli.optYesEmpty'))
    .option('--dry-run', say('cli.optTrashDryRun'))
    .addOption(jsonOption())
    .action((options) =>
      perform(async (session) => (await import('./commands/takes-trash.ts')).emptyTrash(session, options)),
    );

  takes
    .command('act')
    .description(say('cli.helpTakesAct'))
    .argument('<TAKE>', say('cli.argTake'))
    .option('--button <name>', say('cli.optButton'))
    .addOption(jsonOption())
    .action((take, options) =>
      perform(async (session) => (await import('./commands/takes.ts')).actOnTake(session, { take, ...options })),
    );

  takes
    .command('continue')
    .description(say('cli.helpTakesContinue'))
    .argument('<TAKE>', say('cli.argTake'))
    .addOption(new Option('--at <seconds>', say('cli.optAt')).argParser(secondsFrom).makeOptionMandatory())
    .option('--prompt <text>', say('cli.optContinuePrompt'))
    .addOption(jsonOption())
    .action((take, options) =>
      perform(async (session) => (await import('./commands/takes.ts')).continueTake(session, { take, ...options })),
    );
}

function addPrompts(program: Command, perform: Perform): void {
  const prompts = program.command('prompts').description(say('cli.helpPrompts'));
  const modelOption = () => new Option('--model <id>', say('cli.optTextModel')).makeOptionMandatory();
  const outOption = () => new Option('--out <file>', say('cli.optPromptsOut')).makeOptionMandatory();
  const yesOption = () => new Option('--yes', say('cli.optYesAgain'));

  prompts
    .command('rewrite')
    .description(say('cli.helpPromptsRewrite'))
    .argument('<LIST>', say('cli.argShotList'))
    .addOption(modelOption())
    .requiredOption('--ask <text>', say('cli.optAsk'))
    .option('--rows <keys>', say('cli.optRows'))
    .option('--versions <n>', say('cli.optVersions'), count)
    .option('--sheet <name>', say('cli.optSheet'))
    .addOption(outOption())
    .addOption(yesOption())
    .action((list, options) =>
      perform(
        async (session) => (await import('./commands/prompts.ts')).rewritePrompts(session, { list, ...options }),
        false,
      ),
    );

  prompts
    .command('shots')
    .description(say('cli.helpPromptsShots'))
    .argument('<SCRIPT>', say('cli.argScript'))
    .addOption(modelOption())
    .option('--ask <text>', say('cli.optShotsAsk'))
    .addOption(outOption())
    .addOption(yesOption())
    .action((script, options) =>
      perform(
        async (session) => (await import('./commands/prompts.ts')).scriptToShots(session, { script, ...options }),
        false,
      ),
    );
  addPromptLibrary(program, prompts, perform);
}

/** Texts that prompts name, and named settings. */
function addPromptLibrary(program: Command, prompts: Command, perform: Perform): void {
  const ofProject = () => new Option('--project <dir>', say('cli.optLibraryProject'));
  const json = () => new Option('--json', say('cli.optJson'));
  const loaded = () => import('./commands/prompt-library.ts');
  const variables = prompts.command('variables').description(say('cli.helpVariables'));
  variables
    .command('list')
    .description(say('cli.helpVariablesList'))
    .addOption(ofProject())
    .addOption(json())
    .action((options) => perform(async (session) => (await loaded()).listVariables(session, options)));
  variables
    .command('set')
    .description(say('cli.helpVariablesSet'))
    .argument('<NAME>', say('cli.argVariable'))
    .argument('<TEXT>', say('cli.argVariableText'))
    .addOption(ofProject())
    .action((name, text, options) =>
      perform(async (session) => (await loaded()).setVariable(session, name, text, options)),
    );
  variables
    .command('remove')
    .description(say('cli.helpVariablesRemove'))
    .argument('<NAME>', say('cli.argVariable'))
    .addOption(ofProject())
    .action((name, options) => perform(async (session) => (await loaded()).removeVariable(session, name, options)));
  program
    .command('presets')
    .description(say('cli.helpPresets'))
    .command('list')
    .description(say('cli.helpPresetsList'))
    .addOption(ofProject())
    .addOption(json())
    .action((options) => perform(async (session) => (await loaded()).listPresets(session, options)));
}

function addDescribe(program: Command, perform: Perform): void {
  program
    .command('describe')
    .description(say('cli.helpDescribe'))
    .argument('<PICTURE>', say('cli.argPicture'))
    .addOption(new Option('--with <family>', say('cli.optWith')).choices(['typo', 'job']).makeOptionMandatory())
    .addOption(jsonOption())
    .option('--yes', say('cli.optYesAgain'))
    .action((picture, options) =>
      perform(
        async (session) => (await import('./commands/describe.ts')).describePicture(session, { picture, ...options }),
        false,
      ),
    );
}

function addSearch(program: Command, perform: Perform): void {
  program
    .command('search')
    .description(say('cli.helpSearch'))
    .argument('<TEXT>', say('cli.argSearchText'))
    .addOption(projectOption(say('cli.optProjectFolder')).makeOptionMandatory())
    .addOption(new Option('--model <id>', say('cli.optEmbeddingModel')).makeOptionMandatory())
    .option('--index', say('cli.optIndex'))
    .option('--limit <n>', say('cli.optLimit'), count)
    .addOption(jsonOption())
    .option('--yes', say('cli.optYesAgain'))
    .action((text, options) =>
      perform(
        async (session) => (await import('./commands/search.ts')).searchTakes(session, { text, ...options }),
        false,
      ),
    );
}

function addResearch(program: Command, perform: Perform): void {
  const research = program.command('research').description(say('cli.helpResearch'));
  const keepOption = () => projectOption(say('cli.optKeep'));
  const yesOption = () => new Option('--yes', say('cli.optYesAgain'));

  research
    .command('search')
    .description(say('cli.helpResearchSearch'))
    .argument('<QUERY>', say('cli.argQuery'))
    .addOption(new Option('--area <area>', say('cli.optArea')).choices(['global', 'cn']))
    .addOption(new Option('--freshness <time>', say('cli.optFreshness')).choices(['Day', 'Week', 'Month', 'Year']))
    .option('--count <n>', say('cli.optCount'), count)
    .option('--page <n>', say('cli.optPage'), count)
    .option('--images', say('cli.optImages'))
    .addOption(keepOption())
    .addOption(jsonOption())
    .addOption(yesOption())
    .action((query, options) =>
      perform(
        async (session) => (await import('./commands/research.ts')).searchWeb(session, { query, ...options }),
        false,
      ),
    );

  research
    .command('read')
    .description(say('cli.helpResearchRead'))
    .argument('<URL>', say('cli.argUrl'))
    .addOption(new Option('--format <format>', say('cli.optFormat')).choices(['markdown', 'text']))
    .option('--lite', say('cli.optLite'))
    .option('--only <selector...>', say('cli.optOnly'))
    .option('--wait-for <selector...>', say('cli.optWaitFor'))
    .option('--no-images', say('cli.optNoImages'))
    .addOption(keepOption())
    .addOption(jsonOption())
    .addOption(yesOption())
    .action((url, options) =>
      perform(
        async (session) => (await import('./commands/research.ts')).readWebPage(session, { url, ...options }),
        false,
      ),
    );
}

function addSetup(program: Command, perform: Perform): void {
  const config = program.command('config').description(say('cli.helpConfig'));

  config
    .command('get')
    .description(say('cli.helpConfigGet'))
    .argument('[NAME]', say('cli.argSetting'))
    .action((name) =>
      perform(async (session) => (await import('./commands/config.ts')).getConfig(session, name), true),
    );

  config
    .command('set')
    .description(say('cli.helpConfigSet'))
    .argument('<NAME>', say('cli.argSettingOrKey'))
    .argument('[VALUE]', say('cli.argValue'))
    .option('--default', say('cli.optDefault'))
    .option('--allow-file', say('cli.optKeyFile'))
    .action((name, value, options) =>
      perform(
        async (session) => (await import('./commands/config.ts')).setConfig(session, { name, value, ...options }),
        true,
      ),
    );

  const messages = program.command('messages').description(say('cli.helpMessages'));
  const channelArgument = (name: string) => new Argument(name, say('cli.argChannel')).choices(secretChannels);

  messages
    .command('test')
    .description(say('cli.helpMessagesTest'))
    .addArgument(channelArgument('[CHANNEL]'))
    .action((channel) =>
      perform(async (session) => (await import('./commands/messages.ts')).testMessages(session, channel), true),
    );

  messages
    .command('secret')
    .description(say('cli.helpMessagesSecret'))
    .addArgument(channelArgument('<CHANNEL>'))
    .option('--forget', say('cli.optSecretForget'))
    .action((channel, options) =>
      perform(
        async (session) =>
          (await import('./commands/messages.ts')).storeMessageSecret(session, { channel, ...options }),
        true,
      ),
    );

  program
    .command('service')
    .description(say('cli.helpService'))
    .option('--port <n>', say('cli.optPort'), portNumber)
    .option('--state <dir>', say('cli.optServiceState'))
    .option('--speed <factor>', say('cli.optSpeed'), factor)
    .addOption(new Option('--media <style>', say('cli.optMedia')).choices(['real', 'tiny']).default('real'))
    .option('--control', say('cli.optControl'))
    .action((options) => perform(async (session) => (await import('./commands/service.ts')).service(session, options)));
}

function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError(say('cli.notCount'));
  return Number(text);
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError(say('cli.notPort'));
  return Number(text);
}

function secondsFrom(text: string): number {
  if (!/^\d{1,6}(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError(say('cli.notSeconds'));
  return Number(text);
}

function amount(text: string): number {
  if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError(say('cli.notAmount'));
  return Number(text);
}

function factor(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10_000)) throw new InvalidArgumentError(say('cli.notFactor'));
  return value;
}
