import { messageFor } from '../../contract/messages/message.ts';
import { error, type Finding } from './rules.ts';

export function bareAlias(alias: string): string {
  return alias.replace(/^@/, '');
}

/**
 * Checks the `@alias` of a prompt (reference, "Videos", `prompt` and `references`). An unknown one is reported only
 * when it clearly is an alias: every reference of the row has one, or another row of the list gives it. The service
 * may give names of its own to references without an alias.
 */
export function checkAliases(
  prompt: string,
  references: readonly { readonly alias?: string }[],
  listAliases: ReadonlySet<string>,
): Finding[] {
  if (references.length === 0 && !prompt.includes('@')) return [];
  const aliases = references.flatMap(({ alias }) => (alias === undefined ? [] : [bareAlias(alias)]));
  const repeated = aliases.find((alias, place) => aliases.indexOf(alias) !== place);
  const findings: Finding[] = [];
  if (repeated !== undefined) {
    const problem = messageFor('defect.aliasTwice', { alias: repeated });
    findings.push(error('references', problem, messageFor('remedy.ownAlias')));
  }
  if (!prompt.includes('@') || aliases.length < references.length) return findings;
  const unknown = mentions(prompt).filter((mention) => !aliases.some((alias) => mention.startsWith(alias)));
  for (const mention of new Set(unknown.map(firstWord))) {
    if (mention === '' || (aliases.length === 0 && !listAliases.has(mention))) continue;
    const remedy =
      aliases.length === 0
        ? messageFor('remedy.addAlias', { alias: mention })
        : messageFor('remedy.writeAlias', { aliases: aliases.map((alias) => `@${alias}`) });
    findings.push(error('prompt', messageFor('defect.aliasUnknown', { alias: mention }), remedy));
  }
  return findings;
}

/** The words after each `@` that is not part of an e-mail address. */
function mentions(prompt: string): string[] {
  return [...prompt.matchAll(/(?<![A-Za-z0-9._@])@/g)].map((at) => prompt.slice(at.index + 1));
}

function firstWord(text: string): string {
  return /^[\p{L}\p{N}_-]*/u.exec(text)?.[0] ?? '';
}
