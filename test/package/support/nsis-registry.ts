/** Values by key, or by `key : name` where they have a name. */
export type Registry = ReadonlyMap<string, string>;

export interface Installer {
  /** The longest text that it can hold; longer ones are read as empty. */
  readonly maxLength?: number;
  readonly isUpdate?: boolean;
}

/** What a macro of an NSIS script makes of the registry of the person who installs. Knows the few commands that ours uses. */
export function registryAfter(
  script: string,
  macro: string,
  before: Registry,
  { maxLength = 8192, isUpdate = false }: Installer = {},
): Registry {
  const registry = new Map(before);
  const variables = new Map<string, string>();
  const filled = (text: string): string => text.replaceAll(/\$\d/g, (name) => variables.get(name) ?? '');
  /** Whether each block that is open is run. */
  const blocks: boolean[] = [];
  const read = (place: string): string => {
    const value = registry.get(place) ?? '';
    return value.length < maxLength ? value : '';
  };
  const holds = ([left = '', sign = '', right = '']: readonly string[]): boolean => {
    const [one, other] = [filled(left), right === '${NSIS_MAX_STRLEN}' ? String(maxLength) : filled(right)];
    if (left === '${isUpdated}') return isUpdate;
    if (sign === '<') return Number(one) < Number(other);
    return (one === other) === (sign !== '!=');
  };
  const commands: Readonly<Record<string, (...words: string[]) => void>> = {
    WriteRegStr: (_root, key = '', name = '', value = '') => registry.set(placeOf(key, name), value),
    WriteRegExpandStr: (_root, key = '', name = '', value = '') => registry.set(placeOf(key, name), filled(value)),
    ReadRegStr: (variable = '', _root, key = '', name = '') => variables.set(variable, read(placeOf(key, name))),
    DeleteRegValue: (_root, key = '', name = '') => registry.delete(placeOf(key, name)),
    DeleteRegKey(_root, key = '') {
      for (const place of [...registry.keys()])
        if (place === key || place.startsWith(`${key}\\`) || place.startsWith(`${key} : `)) registry.delete(place);
    },
    // RegGetValue alone, for the status: 2 stands for what is not there.
    'System::Call': (call = '') =>
      variables.set(
        '$0',
        registry.has(placeOf(...(/w "(\w+)", w "(\w+)"/.exec(call)?.slice(1) as [string, string]))) ? '0' : '2',
      ),
    StrLen: (variable = '', text = '') => variables.set(variable, String(filled(text).slice(0, maxLength - 1).length)),
    IntOp: (variable = '', left = '', _plus, right = '') =>
      variables.set(variable, String(Number(filled(left)) + Number(right))),
    '${WordAdd}'(text = '', _semicolon, change = '', variable = '') {
      const words = filled(text)
        .split(';')
        .filter((word) => word !== '' && word !== change.slice(1));
      variables.set(variable, [...words, ...(change.startsWith('+') ? [change.slice(1)] : [])].join(';'));
    },
    SendMessage: () => undefined,
  };
  for (const [command = '', ...words] of commandsOf(script, macro)) {
    if (command === '${If}') blocks.push(holds(words));
    else if (command === '${IfNot}') blocks.push(!holds(words));
    else if (command === '${OrIf}') blocks.push(blocks.pop() === true || holds(words));
    else if (command === '${AndIf}') blocks.push(blocks.pop() === true && holds(words));
    else if (command === '${EndIf}') blocks.pop();
    else {
      const run = commands[command];
      // The computer's own part of the registry is not for an installer without an administrator.
      if (!run || words.includes('HKLM'))
        throw new Error(`This test does not know what the installer does there: ${command} ${words.join(' ')}`);
      if (blocks.every(Boolean)) run(...words);
    }
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
