import { Command, Option } from 'commander';
import { languages } from '../contract/messages/languages.ts';
import { say } from '../contract/messages/words.ts';
import { packageVersion } from '../host/package-folder.ts';
import { errorInWords, helpInWords } from './commander-words.ts';
import { addAssets } from './program/assets.ts';
import { addJobs } from './program/jobs.ts';
import { addLooking } from './program/looking.ts';
import { addBatches, addProjects } from './program/projects.ts';
import { addDescribe, addPresets, addPrompts } from './program/prompts.ts';
import { addResearch, addSearch } from './program/research.ts';
import { addRunning, addServing } from './program/running.ts';
import { addSetup } from './program/setup.ts';
import { addTakes } from './program/takes.ts';
import { addViews } from './program/views.ts';
import type { Perform } from './session.ts';
import type { Shell } from './shell.ts';

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
      outputError: (text, write) => write(`${errorInWords(text)}\n`),
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
  addViews(program, perform);
  addAssets(program, perform);
  addPrompts(program, perform);
  addPresets(program, perform);
  addDescribe(program, perform);
  addSearch(program, perform);
  addResearch(program, perform);
  addSetup(program, perform);
  return program;
}
