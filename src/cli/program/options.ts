import { InvalidArgumentError, Option } from 'commander';
import { say } from '../../contract/messages/words.ts';

export const jsonOption = () => new Option('--json', say('cli.optJson'));
export const jsonWithSummary = () => new Option('--json', say('cli.optJsonSummary'));
export const projectOption = (help: string) => new Option('--project <dir>', help);

export function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError(say('cli.notCount'));
  return Number(text);
}

export function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError(say('cli.notPort'));
  return Number(text);
}

export function secondsFrom(text: string): number {
  if (!/^\d{1,6}(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError(say('cli.notSeconds'));
  return Number(text);
}

export function amount(text: string): number {
  if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError(say('cli.notAmount'));
  return Number(text);
}

export function factor(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10_000)) throw new InvalidArgumentError(say('cli.notFactor'));
  return value;
}
