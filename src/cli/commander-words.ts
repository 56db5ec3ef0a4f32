import type { Argument, HelpConfiguration, Option } from 'commander';
import { say } from '../contract/messages/words.ts';
import { displayWidth } from './output/text.ts';

/** Texts that Commander prints, which it has only in English. */

export const helpInWords: HelpConfiguration = {
  styleTitle: titleInWords,
  styleUsage: (usage) =>
    usage.replace('[options]', say('cli.usageOptions')).replace('[command]', say('cli.usageCommand')),
  optionDescription: (option) => withNotes(option, option.required || option.optional),
  argumentDescription: (argument) => withNotes(argument, true),
  displayWidth: (text) => displayWidth(text),
};

function titleInWords(title: string): string {
  const words: Readonly<Record<string, string>> = {
    'Usage:': say('cli.titleUsage'),
    'Arguments:': say('cli.titleArguments'),
    'Options:': say('cli.titleOptions'),
    'Commands:': say('cli.titleCommands'),
  };
  return words[title] ?? title;
}

function withNotes({ description, argChoices, defaultValue }: Option | Argument, showsDefault: boolean): string {
  const named = argChoices && say('cli.noteChoices', { values: argChoices.join(', ') });
  const isShown = showsDefault && defaultValue !== undefined && !Array.isArray(defaultValue);
  const usual = isShown ? JSON.stringify(defaultValue) : undefined;
  const notes = [named, usual && say('cli.noteDefault', { value: usual })].filter((note) => note !== undefined);
  return [description, ...notes].join(' ').trim();
}

const shapes: readonly (readonly [RegExp, (facts: Readonly<Record<string, string>>) => string])[] = [
  [/^unknown option '(?<name>.*?)'/, ({ name = '' }) => say('cli.unknownOption', { name })],
  [/^unknown command '(?<name>.*?)'/, ({ name = '' }) => say('cli.unknownCommand', { name })],
  [/^missing required argument '(?<name>.*?)'/, ({ name = '' }) => say('cli.missingArgument', { name })],
  [/^required option '(?<name>.*?)' not specified/, ({ name = '' }) => say('cli.missingOption', { name })],
  [/^option '(?<name>.*?)' argument missing/, ({ name = '' }) => say('cli.missingValue', { name })],
  [
    /^option '(?<name>.*?)' cannot be used with option '(?<other>.*?)'/,
    ({ name = '', other = '' }) => say('cli.conflictingOption', { name, other }),
  ],
  [/^too many arguments/, () => say('cli.tooManyArguments')],
  [
    /^option '(?<name>.*?)' argument '(?<value>.*)' is invalid\. (?<reason>.*)/s,
    ({ name = '', value = '', reason = '' }) => say('cli.unfitValue', { name, value, reason: reasonInWords(reason) }),
  ],
  [
    /^command-argument value '(?<value>.*)' is invalid for argument '(?<name>.*?)'\. (?<reason>.*)/s,
    ({ name = '', value = '', reason = '' }) => say('cli.unfitValue', { name, value, reason: reasonInWords(reason) }),
  ],
];

function reasonInWords(reason: string): string {
  const values = /^Allowed choices are (?<values>.*)\.$/.exec(reason)?.groups?.['values'];
  return values === undefined ? reason : say('cli.allowedValues', { values });
}

export function errorInWords(message: string): string {
  const told = message.replace(/^error: /, '').trim();
  for (const [shape, inWords] of shapes) {
    const facts = shape.exec(told);
    if (!facts) continue;
    const similar = /\(Did you mean (?:one of )?(?<names>.*)\?\)$/.exec(told)?.groups?.['names'];
    return [
      inWords(facts.groups ?? {}),
      ...(similar === undefined ? [] : [say('cli.similar', { names: similar })]),
    ].join('\n');
  }
  return told;
}
