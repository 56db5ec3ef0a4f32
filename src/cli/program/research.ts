import { type Command, Option } from 'commander';
import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { count, jsonOption, projectOption } from './options.ts';

export function addSearch(program: Command, perform: Perform): void {
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
    .action(perform(async () => (await import('../commands/search.ts')).searchTakes));
}

export function addResearch(program: Command, perform: Perform): void {
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
    .action(perform(async () => (await import('../commands/research.ts')).searchWeb));

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
    .action(perform(async () => (await import('../commands/research.ts')).readWebPage));
}
