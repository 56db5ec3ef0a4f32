import { Command, InvalidArgumentError, Option } from 'commander';
import type { JobStateName, Standing } from '../contract/job.ts';
import { allKinds } from '../contract/kinds/all.ts';
import { languages, say } from '../contract/messages/words.ts';
import { addAssets } from './assets-program.ts';
import type { FaultWordName } from './demo/fault-words.ts';
import { packageVersion } from '../host/package-folder.ts';
import type { Perform } from './session.ts';
import type { Shell } from './shell.ts';

// The words of the contract, repeated because loading its schemas would cost `--help` more than everything else.
const standings: readonly Standing[] = ['saved', 'failed', 'unknown', 'cancelled', 'unfinished'];
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

const faultNames: readonly FaultWordName[] = ['drip', 'reset', 'html', 'cut'];

/**
 * The whole command line. Loads nothing but the words: each command's code is loaded when it is performed.
 */
export function buildProgram(perform: Perform, shell: Shell): Command {
  const program = new Command('dailies')
    .description('Turns a shot list into verified files, without losing or paying twice for a take.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
    })
    .showHelpAfterError('`dailies --help` lists the commands, `dailies COMMAND --help` the options of one.')
    .option('--data <dir>', 'folder of database, settings and logs (also DAILIES_DATA)')
    .option('--base-url <url>', 'address of the service (also DAILIES_BASE_URL)')
    .addOption(new Option('--lang <language>', say('cli.langOption')).choices(languages))
    .version(packageVersion(), '-V, --version', 'print the version');

  addRunning(program, perform);
  addServing(program, perform);
  addLooking(program, perform);
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

const jsonOption = () => new Option('--json', 'print one JSON object a line; the last is the summary');
const projectOption = (help: string) => new Option('--project <dir>', help);

function addRunning(program: Command, perform: Perform): void {
  program
    .command('demo')
    .description('run the sample shot list on the built-in service; needs no key and costs nothing')
    .option('--out <dir>', 'project folder (default: dailies-demo)')
    .option('--shots <n>', 'only the first N shots of the sample', count)
    .option(
      '--all',
      'a list of every kind, family and operation instead, each take checked; then once more with faults',
    )
    .addOption(new Option('--fault <words...>', 'with --all: only these faults in its second run').choices(faultNames))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/demo.ts')).demo(session, options)));

  program
    .command('run')
    .description('import a shot list, check it, and make its takes until all are saved')
    .argument('<LIST>', 'CSV, TSV or XLSX file, or - for standard input')
    .requiredOption('--project <dir>', 'project folder; made when it is not there')
    .option('--batch <name>', 'batch inside the project (default: the name of the list)')
    .addOption(
      new Option('--kind <kind>', 'kind of rows that name neither kind nor a known model').choices(
        allKinds.map(({ kind }) => kind),
      ),
    )
    .option('--again', 'make a round of new takes, of unchanged shots too; one that was begun is completed')
    .option('--sheet <name>', 'sheet of a workbook (default: the first)')
    .option('--encoding <name>', 'encoding of the list, when the detected one is wrong')
    .option(
      '--allow-file <path>',
      'send this file, or what is below this folder, though it lies outside (repeatable)',
      (path: string, before: readonly string[]) => [...before, path],
      [] as readonly string[],
    )
    .option('--dry-run', 'print the request of each shot; send and write nothing')
    .option('--offline', 'with --dry-run: do not ask the service which models it has')
    .addOption(jsonOption())
    .action((list, options) =>
      perform(async (session) => (await import('./commands/run.ts')).run(session, { list, ...options })),
    );

  program
    .command('resume')
    .description('go on with whatever is unfinished')
    .addOption(projectOption('only this project'))
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/resume.ts')).resume(session, options)));
}

function addServing(program: Command, perform: Perform): void {
  program
    .command('serve')
    .description('open the app in a browser of this machine and work on the queue, until stopped')
    .option('--port <n>', 'port (default: that of the last time, 4680, or any free one)', portNumber)
    .option('--open', 'open the browser too')
    .action((options) => perform(async (session) => (await import('./commands/serve.ts')).serve(session, options)));
}

function addLooking(program: Command, perform: Perform): void {
  program
    .command('status')
    .description('say how every batch stands, beside a running engine too')
    .addOption(projectOption('only this project'))
    .option('--watch', 'go on saying it, every two seconds, until stopped')
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await import('./commands/status.ts')).status(session, options)));

  program
    .command('models')
    .description('list the models your account may use')
    .action(() => perform(async (session) => (await import('./commands/models.ts')).models(session), true));

  program
    .command('doctor')
    .description('check address, key, clock, disk, folders and database; makes no billable request')
    .addOption(projectOption('check this project folder too'))
    .action((options) =>
      perform(async (session) => (await import('./commands/doctor.ts')).doctor(session, options), true),
    );
}

function addJobs(program: Command, perform: Perform): void {
  const jobs = program.command('jobs').description('look at single jobs and decide about them');
  const batchOption = () => new Option('--batch <name>', 'only this batch');

  jobs
    .command('list')
    .description('list jobs')
    .addOption(projectOption('only this project'))
    .addOption(batchOption())
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(stateNames))
    .addOption(new Option('--standing <standing>', 'only jobs that stand so').choices(standings))
    .addOption(jsonOption())
    .action((options) =>
      perform(async (session) => (await import('./commands/jobs-list.ts')).listJobs(session, options)),
    );

  jobs
    .command('retry')
    .description('ask again: what still exists is fetched at no charge, a failed task is made anew and charged')
    .argument('[IDS...]', 'job ids, or unique beginnings or ends of them')
    .option('--all-failed', 'every failed job')
    .addOption(projectOption('with --all-failed: only of this project'))
    .addOption(batchOption())
    .option('--yes', 'agree to new charges')
    .action((ids, options) =>
      perform(async (session) => (await import('./commands/jobs-decide.ts')).retryJobs(session, { ids, ...options })),
    );

  jobs
    .command('cancel')
    .description('stop following jobs; the service has no cancel, so what it accepted is charged')
    .argument('[IDS...]', 'job ids, or unique beginnings or ends of them')
    .option('--all-failed', 'every failed job whose result could still be fetched')
    .option('--all-unfinished', 'every unfinished job')
    .addOption(projectOption('with --all-failed or --all-unfinished: only of this project'))
    .addOption(batchOption())
    .action((ids, options) =>
      perform(async (session) => (await import('./commands/jobs-decide.ts')).cancelJobs(session, { ids, ...options })),
    );

  jobs
    .command('resolve')
    .description('decide about a job whose request may or may not have been accepted')
    .argument('<ID>', 'job id, or a unique beginning or end of it')
    .addOption(
      new Option('--attach <task>', 'it was accepted: follow this task').conflicts(['accept', 'lost', 'resubmit']),
    )
    .addOption(
      new Option('--accept [address]', 'the kept answer has the result: at this address, or it is the answer itself')
        .preset(true)
        .conflicts(['attach', 'lost', 'resubmit']),
    )
    .addOption(new Option('--lost', 'write it off; nothing is sent').conflicts(['accept', 'attach', 'resubmit']))
    .addOption(
      new Option('--resubmit', 'send it again; a second charge is possible').conflicts(['accept', 'attach', 'lost']),
    )
    .option('--yes', 'agree to a second charge')
    .action((id, options) =>
      perform(async (session) => (await import('./commands/jobs-decide.ts')).resolveJob(session, { id, ...options })),
    );
}

function addTakes(program: Command, perform: Perform): void {
  const takes = program.command('takes').description('make takes from finished ones');

  takes
    .command('act')
    .description('press a button of a finished job-style image; queues a take made from it')
    .argument('<TAKE>', 'job id of the take, or a unique beginning or end of it')
    .option('--button <name>', 'button to press; without it the buttons are listed')
    .addOption(jsonOption())
    .action((take, options) =>
      perform(async (session) => (await import('./commands/takes.ts')).actOnTake(session, { take, ...options })),
    );

  takes
    .command('continue')
    .description('continue a finished piece of music; queues a take made from it')
    .argument('<TAKE>', 'job id of the take, or a unique beginning or end of it')
    .addOption(new Option('--at <seconds>', 'where in it to continue').argParser(secondsFrom).makeOptionMandatory())
    .option('--prompt <text>', 'how it goes on (default: the prompt of the take)')
    .addOption(jsonOption())
    .action((take, options) =>
      perform(async (session) => (await import('./commands/takes.ts')).continueTake(session, { take, ...options })),
    );
}

function addPrompts(program: Command, perform: Perform): void {
  const prompts = program
    .command('prompts')
    .description('have a text model write or rewrite prompts; each call is billed');
  const modelOption = () => new Option('--model <id>', 'text model that is asked').makeOptionMandatory();
  const outOption = () =>
    new Option('--out <file>', 'new CSV list with what it proposes; nothing else is changed').makeOptionMandatory();
  const yesOption = () => new Option('--yes', 'send again what may have been charged, agreeing to a second charge');

  prompts
    .command('rewrite')
    .description('rewrite the prompts of a list: translate, shorten, vary, or whatever you ask for')
    .argument('<LIST>', 'CSV, TSV or XLSX shot list')
    .addOption(modelOption())
    .requiredOption('--ask <text>', 'what to do with every prompt')
    .option('--rows <keys>', 'only the rows with these keys, with commas between them')
    .option('--versions <n>', 'new prompts of each row; further ones become rows of their own', count)
    .option('--sheet <name>', 'sheet of a workbook (default: the first)')
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
    .description('make a shot list of a script')
    .argument('<SCRIPT>', 'text file')
    .addOption(modelOption())
    .option('--ask <text>', 'what to mind besides')
    .addOption(outOption())
    .addOption(yesOption())
    .action((script, options) =>
      perform(
        async (session) => (await import('./commands/prompts.ts')).scriptToShots(session, { script, ...options }),
        false,
      ),
    );
}

function addDescribe(program: Command, perform: Perform): void {
  program
    .command('describe')
    .description('have a still described in words; each description is one billed call')
    .argument('<PICTURE>', 'image file, or job id of a take')
    .addOption(
      new Option('--with <family>', 'typography (typo) or the job-style family (job)')
        .choices(['typo', 'job'])
        .makeOptionMandatory(),
    )
    .addOption(jsonOption())
    .option('--yes', 'send again what may have been charged, agreeing to a second charge')
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
    .description('find takes by what their prompts, titles and notes mean; a new question is one billed call')
    .argument('<TEXT>', 'what to look for, in your words')
    .addOption(projectOption('project folder').makeOptionMandatory())
    .addOption(new Option('--model <id>', 'embedding model').makeOptionMandatory())
    .option('--index', 'index new texts first; a hundred are one billed call')
    .option('--limit <n>', 'most takes (default: 10)', count)
    .addOption(jsonOption())
    .option('--yes', 'send again what may have been charged, agreeing to a second charge')
    .action((text, options) =>
      perform(
        async (session) => (await import('./commands/search.ts')).searchTakes(session, { text, ...options }),
        false,
      ),
    );
}

function addResearch(program: Command, perform: Perform): void {
  const research = program
    .command('research')
    .description('look things up on the web through the service; each call is billed');
  const keepOption = () => projectOption('keep what is found in this project folder');
  const yesOption = () => new Option('--yes', 'send again what may have been charged, agreeing to a second charge');

  research
    .command('search')
    .description('search the web')
    .argument('<QUERY>', 'what to look for')
    .addOption(new Option('--area <area>', 'where to look').choices(['global', 'cn']))
    .addOption(new Option('--freshness <time>', 'how old it may be').choices(['Day', 'Week', 'Month', 'Year']))
    .option('--count <n>', 'results a page, up to 50 (default: 10)', count)
    .option('--page <n>', 'page of the results, from 1', count)
    .option('--images', 'find pictures too')
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
    .description('read a web page as text')
    .argument('<URL>', 'address of the page')
    .addOption(new Option('--format <format>', 'form of the text').choices(['markdown', 'text']))
    .option('--lite', 'read it without running the page')
    .option('--only <selector...>', 'only what these CSS selectors match')
    .option('--wait-for <selector...>', 'wait until these CSS selectors match')
    .option('--no-images', 'leave addresses of pictures out')
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
  const config = program.command('config').description('read and change settings');

  config
    .command('get')
    .description('print one setting, or all')
    .argument('[NAME]', 'name of the setting, for example base-url or concurrency.submit')
    .action((name) =>
      perform(async (session) => (await import('./commands/config.ts')).getConfig(session, name), true),
    );

  config
    .command('set')
    .description('change a setting; `set api-key` asks for the key, or reads it from standard input')
    .argument('<NAME>', 'name of the setting, or api-key')
    .argument('[VALUE]', 'new value; never the key')
    .option('--default', 'go back to the default; for api-key, forget it')
    .option('--allow-file', 'api-key: without a system keychain, keep it in a file only you can read')
    .action((name, value, options) =>
      perform(
        async (session) => (await import('./commands/config.ts')).setConfig(session, { name, value, ...options }),
        true,
      ),
    );

  program
    .command('service')
    .description('run the built-in demo service alone, until stopped')
    .option('--port <n>', 'port (default: any free one)', portNumber)
    .option('--state <dir>', 'folder in which its tasks outlive it')
    .option('--speed <factor>', 'how many times faster than usual its tasks are done', factor)
    .addOption(
      new Option('--media <style>', 'real files, or tiny ones for tests').choices(['real', 'tiny']).default('real'),
    )
    .option('--control', 'let other processes set faults and read what was received, under /__demo/')
    .action((options) => perform(async (session) => (await import('./commands/service.ts')).service(session, options)));
}

function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1.');
  return Number(text);
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('It is a number up to 65535.');
  return Number(text);
}

function secondsFrom(text: string): number {
  if (!/^\d{1,6}(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It is a number of seconds, for example 12.5.');
  return Number(text);
}

function factor(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10_000)) throw new InvalidArgumentError('It is a number above 0, for example 10.');
  return value;
}
