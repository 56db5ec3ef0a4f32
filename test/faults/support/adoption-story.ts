import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putEmptyDatabase } from '../../support/world.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import {
  countsOf,
  knownInData,
  knownInFolder,
  lost,
  mayBeCharged,
  notAllowed,
  numberOf,
  raw,
  type Asked,
} from './adoption-model.ts';
import type { KillableCommands } from './killed-command.ts';

/** What happens to a project in each story of a kind, between commands that are killed. */
export const KINDS = ['taken over', 'renamed', 'moved', 'restored', 'half-copied', 'edited'] as const;
export type Kind = (typeof KINDS)[number];

export interface Story {
  readonly kind: Kind;
  readonly seed: number;
  /** With a list of two rows and one turn of fate: for each day. */
  readonly isBrief?: boolean;
}

export interface Told {
  readonly posts: number;
  readonly kills: number;
  readonly unclear: number;
  readonly problems: readonly string[];
}

interface Row {
  readonly text: string;
  readonly takes: number;
}

/** Between these moments of a command one is drawn for a kill: most have stored something by the first, and are over at the last. */
const KILLED_AT = [60, 300] as const;
const ALLOWED = [0, 2, 3, 4, 5];

/** One project of two or three data folders, a list, and what a person and fate do with them. */
class Telling {
  readonly #random: () => number;
  readonly #commands: KillableCommands;
  readonly #folders: readonly string[];
  readonly #steps: string[] = [];
  readonly #problems: string[] = [];
  readonly #hasKeys: boolean;
  readonly #isBrief: boolean;
  #batch = 'list';
  #list = 'list.csv';
  #rows: Row[];
  #texts = 0;
  #moves = 0;
  #kills = 0;

  constructor({ seed, isBrief = false }: Story, commands: KillableCommands) {
    this.#random = seededRandom(seed);
    this.#commands = commands;
    this.#folders = this.#chance(0.4) ? ['home', 'other', 'third'] : ['home', 'other'];
    this.#hasKeys = this.#chance(0.4);
    const [namesTexts, length] = [this.#chance(0.4), 2 + this.#below(3)];
    const rows = Array.from({ length }, () => this.#newRow(namesTexts && this.#chance(0.5)));
    this.#rows = isBrief ? rows.slice(0, 2) : rows;
    this.#isBrief = isBrief;
  }

  async tell(kind: Kind): Promise<Told> {
    try {
      return await this.#tell(kind);
    } catch (error) {
      this.#found([error instanceof Error ? (error.stack ?? error.message) : String(error)]);
      return { posts: 0, kills: 0, unclear: 0, problems: this.#problems };
    }
  }

  async #tell(kind: Kind): Promise<Told> {
    for (const at of this.#folders) putEmptyDatabase(this.#dataFolder(at));
    this.#plantFault();
    if (this.#rows.some(({ text }) => text.includes('{')))
      await this.#run('home', 'prompts', 'variables', 'set', 'hero', 'A fox');
    this.#writeList();
    await this.#start('home', { kill: 0.6, cap: this.#chance(0.3) });
    const backup = this.#commands.path('backup');
    const saved = this.#chance(0.5) ? 'project' : 'data';
    if (kind === 'restored') this.#copy(saved === 'project' ? this.#projectFolder : this.#dataFolder('home'), backup);
    if (kind === 'restored') await this.#next(this.#aFolder(), 0.5);
    await this.#fate(kind, saved, backup);
    await this.#next(this.#chance(0.7) ? 'other' : this.#aFolder(), 0.3);
    if (!this.#isBrief && this.#chance(0.3)) await this.#fate(kind === 'restored' ? 'edited' : kind, saved, backup);
    if (this.#chance(0.4)) await this.#decide(this.#aFolder());
    await this.#next(this.#chance(0.7) ? 'home' : this.#aFolder(), 0);
    return this.#end();
  }

  /** What the story is about. */
  async #fate(kind: Kind, saved: 'project' | 'data', backup: string): Promise<void> {
    switch (kind) {
      case 'taken over':
        return this.#next(this.#aFolder(), 0.8);
      case 'renamed':
        if (this.#chance(0.5)) return this.#renameList();
        return this.#renameBatch();
      case 'moved':
        this.#moves += 1;
        return this.#moveTo(`film ${String(this.#moves)}`);
      case 'restored': {
        // Back before it was a project, its folder becomes another one.
        if (saved === 'project' && !existsSync(join(backup, '.dailies', 'project.json'))) return;
        this.#note(`${saved} restored`);
        const folder = saved === 'project' ? this.#projectFolder : this.#dataFolder('home');
        rmSync(folder, { recursive: true, force: true });
        return this.#copy(backup, folder);
      }
      case 'half-copied':
        return this.#halve();
      case 'edited':
        return this.#edit();
    }
  }

  #renameList(): void {
    this.#list = `list ${String(this.#below(2))}.csv`;
    this.#note(`the list is ${this.#list}`);
    this.#writeList();
  }

  async #renameBatch(): Promise<void> {
    const to = `night ${String(this.#below(2))}`;
    await this.#run(this.#aFolder(), 'batches', 'rename', this.#batch, to, '--project', this.#commands.project);
    if (this.#chance(0.5)) this.#batch = to;
  }

  #moveTo(name: string): void {
    if (!existsSync(this.#projectFolder)) return;
    this.#note(`moved to ${name}`);
    renameSync(this.#projectFolder, this.#commands.path(name));
    this.#commands.project = name;
  }

  /** Some of its files are not there, as where a copy was cut off or a program keeps two folders in step. */
  #halve(): void {
    if (!existsSync(this.#projectFolder)) return;
    const share = this.#random();
    const files = filesIn(this.#projectFolder).filter((file) => !file.endsWith('project.json'));
    const gone = files.filter(() => this.#random() < share);
    this.#note(`without ${gone.map((file) => file.slice(this.#projectFolder.length + 1)).join(', ')}`);
    for (const file of gone) rmSync(file);
  }

  #edit(): void {
    const at = this.#below(this.#rows.length);
    const [row = this.#newRow(false)] = this.#rows.slice(at, at + 1);
    const edits = {
      changed: () => this.#rows.splice(at, 1, this.#newRow(false)),
      inserted: () => this.#rows.splice(at, 0, this.#newRow(false)),
      removed: () => this.#rows.length > 1 && this.#rows.splice(at, 1),
      repeated: () => this.#rows.push(row),
      'asked for more': () => this.#rows.splice(at, 1, { ...row, takes: row.takes + 1 }),
    };
    const [how, edit] = this.#oneOf(Object.entries(edits));
    this.#note(`row ${String(at)} is ${how}`);
    edit();
    this.#writeList();
  }

  /** What a person does next with a data folder. */
  async #next(at: string, kill: number): Promise<void> {
    if (this.#chance(0.4)) await this.#command(at, null, kill, 'resume', '--project', this.#commands.project);
    else await this.#start(at, { kill });
  }

  async #start(at: string, { kill, cap = false }: { readonly kill: number; readonly cap?: boolean }): Promise<void> {
    const agreed = this.#chance(0.2);
    const rows = this.#rows.map(({ text, takes }) => ({ row: numberOf(text), takes }));
    await this.#command(
      at,
      { rows, agreed },
      kill,
      'run',
      this.#list,
      '--project',
      this.#commands.project,
      ...(agreed ? ['--batch', this.#batch] : []),
    );
    if (!cap || !existsSync(join(this.#projectFolder, '.dailies', 'project.json'))) return;
    const takes = String(1 + this.#below(6));
    await this.#run(at, 'cap', '--project', this.#commands.project, '--max-takes', takes);
  }

  /** A person gives up what is unclear, or sends it again, and agrees to make what was made elsewhere. */
  async #decide(at: string): Promise<void> {
    const givesUp = this.#chance(0.5);
    const { unclear, madeElsewhere } = knownInData(this.#dataFolder(at));
    const [id] = unclear;
    if (id !== undefined)
      await this.#run(at, 'jobs', 'resolve', id, ...(givesUp ? ['--lost'] : ['--resubmit', '--yes']));
    const [made] = madeElsewhere;
    if (made !== undefined && !givesUp) await this.#run(at, 'jobs', 'retry', made, '--yes');
  }

  /** Runs a command, perhaps to its end, and judges what it has sent by what could be known before it. */
  async #command(at: string, asked: Asked | null, kill: number, ...args: string[]): Promise<void> {
    const before = { data: knownInData(this.#dataFolder(at)), folder: knownInFolder(this.#projectFolder), asked };
    const postsBefore = this.#posts().length;
    await this.#run(
      at,
      ...args,
      ...(this.#chance(kill) ? [KILLED_AT[0] + this.#below(KILLED_AT[1] - KILLED_AT[0])] : []),
    );
    const sent = this.#posts().slice(postsBefore);
    this.#found(notAllowed(countsOf(mayBeCharged(sent)), before));
  }

  async #run(at: string, ...args: (string | number)[]): Promise<void> {
    const killAt = args.find((arg) => typeof arg === 'number');
    const words = args.filter((arg) => typeof arg === 'string');
    const { status, said } = await this.#commands.run(this.#dataFolder(at), words, killAt);
    if (status === null) this.#kills += 1;
    this.#note(
      `${at}: ${words.join(' ')} ${status === null ? `killed at ${String(killAt)}` : `ended with ${String(status)}`}`,
    );
    if (status !== null && !ALLOWED.includes(status)) this.#found([`status: ${said}`]);
  }

  #end(): Told {
    const knowledge = this.#folders.map((at) => knownInData(this.#dataFolder(at)));
    this.#found(raw(this.#posts()));
    this.#found(lost(this.#posts(), [...knowledge, knownInFolder(this.#projectFolder)]));
    this.#found(knowledge.flatMap(({ forgotten }) => forgotten.map((row) => `unclear without a decision: ${row}`)));
    const unclear = this.#posts().filter(({ ending }) => ending !== 'complete').length;
    return { posts: this.#posts().length, kills: this.#kills, unclear, problems: this.#problems };
  }

  #found(problems: readonly string[]): void {
    this.#problems.push(...problems.map((problem) => `${problem}\n    ${this.#steps.join('\n    ')}`));
  }

  #plantFault(): void {
    const { faults } = this.#commands.service;
    const prompt = this.#oneOf(this.#rows).text.slice(-6);
    const fault = this.#oneOf([null, null, 'commit', 'lost', 'rate', 'refused']);
    if (fault === null) return;
    const rule = { match: { method: 'POST', prompt } };
    if (fault === 'rate') faults.add({ ...rule, do: { fault: 'rate-limit', seconds: 1 } });
    else if (fault === 'refused') faults.add({ ...rule, do: { fault: 'status', status: 400 } });
    else faults.add({ ...rule, do: { fault: 'reset', commit: fault === 'commit' } });
    this.#note(`fault of ${prompt}: ${fault}`);
  }

  #posts = () => this.#commands.posts();

  #writeList(): void {
    const lines = this.#rows.map(({ text, takes }, index) => {
      // A repeated row has a key of its own.
      const key = `k${numberOf(text)}${this.#rows.slice(0, index).some((row) => row.text === text) ? `b${String(index)}` : ''}`;
      const kind = Number(numberOf(text)) % 3 === 0 ? 'text,chat-demo' : 'image,image-demo';
      return `${this.#hasKeys ? `${key},` : ''}${kind},${text},${String(takes)}\n`;
    });
    this.#note(`list: ${lines.map((line) => line.trim()).join(' | ')}`);
    writeFileSync(
      this.#commands.path(this.#list),
      `${this.#hasKeys ? 'shot,' : ''}kind,model,prompt,takes\n${lines.join('')}`,
    );
  }

  #newRow(namesText: boolean): Row {
    this.#texts += 1;
    return {
      text: `${namesText ? '{hero}' : 'A door'} nr ${String(100 + this.#texts)}`,
      takes: this.#chance(0.25) ? 2 : 1,
    };
  }

  #note(step: string): void {
    this.#steps.push(step);
  }

  #copy(from: string, to: string): void {
    if (existsSync(from)) cpSync(from, to, { recursive: true });
  }

  get #projectFolder(): string {
    return this.#commands.path(this.#commands.project);
  }

  #dataFolder = (at: string): string => this.#commands.dataFolder(at);
  #aFolder = (): string => this.#oneOf(this.#folders);
  #chance = (of: number): boolean => this.#random() < of;
  #below = (end: number): number => Math.floor(this.#random() * end);
  #oneOf<Each>(all: readonly Each[]): Each {
    return all[this.#below(all.length)] as Each;
  }
}

/** Tells a story with such commands: what a person and fate do is the same each time. */
export async function tell(story: Story, opened: Promise<KillableCommands>): Promise<Told> {
  const commands = await opened;
  try {
    return await new Telling(story, commands).tell(story.kind);
  } finally {
    await commands.close();
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]));
}
