import { withoutEnd } from '../engine/base/trim-end.ts';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Secrets {
  /** The key of the service, if there is one. */
  readonly key: string | null;
  readonly homeFolder: string;
}

/** Shorter names are part of too many other words. */
const SHORTEST_NAME = 3;
/** Lines are searched up to here, characters: no one reads more of a line, and searching takes time. */
const LONGEST_LINE = 4000;

/**
 * Removes private parts of a text: the key and everything like one, the queries of addresses (result links are signed
 * there), names and passwords in addresses, and the name of the person's home folder.
 */
export function redactorOf({ key, homeFolder }: Secrets): (text: string) => string {
  const homes = formsOf(homeFolder);
  const name = basename(homeFolder);
  const user = name.length < SHORTEST_NAME ? null : new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`, 'gi');
  const cleanLine = (line: string): string => {
    let clean = shortened(line);
    for (const secret of key === null ? [] : [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)]) {
      clean = clean.replaceAll(secret, '[key]');
    }
    clean = clean
      .replace(/\b(Bearer|Basic)\s+[\w~+/.=-]+/gi, '$1 [key]')
      .replace(NAMED_SECRET, '$1[hidden]')
      .replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@]+@/gi, '$1[hidden]@')
      .replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s?#"'<>]+)[?#][^\s"'<>]*/gi, '$1?[hidden]');
    for (const home of homes) clean = clean.replaceAll(home, '~');
    return user ? clean.replace(user, '[user]') : clean;
  };
  return (text) => text.split('\n').map(cleanLine).join('\n');
}

/** Cuts at a whole word: half a secret would not be recognized as one. */
function shortened(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${withoutEnd(line.slice(0, LONGEST_LINE), /\S/)}[cut]`;
}

/** `"apiKey": "…"`, `signature=…`: values named like a secret are treated as one. */
const NAMED_SECRET =
  /((?:api[-_ ]?key|authorization|cookie|password|secret|signature|token|x-amz-[\w-]+)["']?\s*[:=]\s*["']?)(?!\[)[^\s"',;}&]+/gi;

/** A path as texts write it: plain, in JSON, with slashes, in an address. Longest first. */
function formsOf(folder: string): string[] {
  const slashed = folder.replaceAll('\\', '/');
  const forms = [folder, JSON.stringify(folder).slice(1, -1), slashed, pathToFileURL(folder).pathname];
  // The top of the disk is no home, and is in every path.
  return [...new Set(forms)].filter((form) => form.length > 1).sort((a, b) => b.length - a.length);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
