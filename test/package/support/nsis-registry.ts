/** Values by key, or by `key : name` where they have a name. */
export type Registry = ReadonlyMap<string, string>;

/** What a macro of an NSIS script makes of the registry of the person who installs. Knows the few commands that ours uses. */
export function registryAfter(script: string, macro: string, before: Registry): Registry {
  const registry = new Map(before);
  for (const words of commandsOf(script, macro)) {
    const [command = '', , key = '', name = '', value = ''] = words;
    if (command === 'WriteRegStr') registry.set(placeOf(key, name), value);
    else if (command === 'DeleteRegValue') registry.delete(placeOf(key, name));
    else if (command === 'DeleteRegKey')
      for (const place of [...registry.keys()])
        if (place === key || place.startsWith(`${key}\\`) || place.startsWith(`${key} : `)) registry.delete(place);
    if (!/^(WriteRegStr|DeleteRegValue|DeleteRegKey)$/.test(command) || words[1] !== 'SHELL_CONTEXT')
      throw new Error(`This test does not know what the installer does there: ${words.join(' ')}`);
  }
  return registry;
}

const placeOf = (key: string, name: string): string => (name === '' ? key : `${key} : ${name}`);

/** The commands of a macro as words, with those of the macros that it inserts. */
function commandsOf(script: string, macro: string, given: readonly string[] = []): string[][] {
  const found = new RegExp(`^!macro ${macro}\\b *(.*)\\n([^]*?)^!macroend`, 'm').exec(script);
  if (!found) throw new Error(`The installer has no macro ${macro}.`);
  const names = found[1]?.split(' ') ?? [];
  const filled = names.reduce((text, name, at) => text.replaceAll(`\${${name}}`, given[at] ?? ''), found[2] ?? '');
  return filled
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith(';'))
    .flatMap((line) => {
      const [first = '', second = '', ...rest] = wordsIn(line);
      return first === '!insertmacro' ? commandsOf(script, second, rest) : [[first, second, ...rest]];
    });
}

/** Words of a line, with or without quotes of either kind around them. */
const wordsIn = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? '');
