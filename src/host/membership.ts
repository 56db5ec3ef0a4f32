import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parsedJson } from '../contract/json.ts';
import { parseStudioUrl, type StudioAddress } from '../studio/address.ts';
import { StudioError } from '../studio/errors.ts';
import { nonEmpty } from './data-folder.ts';
import { PASSWORD_VARIABLE, STUDIO_VARIABLE, type Environment } from './process-environment.ts';
import { writeWhole } from './settings-file.ts';

type Machine = Pick<Environment, 'cwd' | 'env' | 'keychain'>;

/** `studio.json` in the data folder: the studio that this machine belongs to. The password is never in it. */
const Membership = z.object({
  address: z.string(),
  /** Null until it joins. */
  person: z.string().nullable(),
  machine: z.string().nullable(),
  /** The id of this data folder, by which the studio tells machines of one name apart. */
  instance: z.string(),
  /** Where this machine has the roots of the studio: absolute folders, by name. */
  roots: z.record(z.string(), z.string()).default({}),
  /** The app takes work from the studio whenever it runs. */
  works: z.boolean().default(false),
});
export type Membership = z.infer<typeof Membership>;

const toFile = (dataFolder: string): string => join(dataFolder, 'studio.json');

/** Null where this machine has no studio. */
export function readMembership(dataFolder: string): Membership | null {
  try {
    return Membership.parse(parsedJson(readFileSync(toFile(dataFolder), 'utf8')));
  } catch {
    return null;
  }
}

export function writeMembership(
  dataFolder: string,
  change: Partial<Membership> & Pick<Membership, 'address'>,
): Membership {
  const before = readMembership(dataFolder);
  // Who one is in another studio says nothing here.
  const own = before?.address === change.address ? before : { person: null, machine: null, roots: {}, works: false };
  const membership = { ...own, instance: before?.instance ?? randomUUID(), ...change };
  writeWhole(toFile(dataFolder), `${JSON.stringify(membership, null, 2)}\n`);
  return membership;
}

/** The data folder is of no studio any more. It stays the same one to the studio, should it join again. */
export function forgetMembership(dataFolder: string): void {
  const { address } = readMembership(dataFolder) ?? { address: '' };
  writeMembership(dataFolder, { address, person: null, machine: null, works: false });
}

export interface FoundStudio {
  readonly address: StudioAddress;
  readonly password: string | null;
}

/**
 * The address of a command, else of the environment, else of `studio.json`, with its password: from the environment, else
 * from the keychain, where it is kept for one address and goes to no other. Throws StudioError.
 */
export async function findStudio(machine: Machine, dataFolder: string, given?: string): Promise<FoundStudio> {
  const { cwd, env } = machine;
  const named = nonEmpty(env[STUDIO_VARIABLE]);
  const fromCommand = given === undefined ? null : parseStudioUrl(given, cwd);
  // Other users of the machine see what a command was given, and shells keep it.
  if (fromCommand?.password != null) throw new StudioError('studio_password');
  const fromEnvironment = named === undefined ? null : parseStudioUrl(named, cwd);
  const kept = readMembership(dataFolder);
  const address =
    fromCommand?.address ?? fromEnvironment?.address ?? (kept === null ? null : parseStudioUrl(kept.address).address);
  if (address === null) throw new StudioError('studio_none');
  const own = fromEnvironment?.address.text === address.text ? fromEnvironment.password : null;
  const password = own ?? nonEmpty(env[PASSWORD_VARIABLE]) ?? (await keptPassword(machine, address));
  return { address, password };
}

const KEYCHAIN_ENTRY = 'studio';
const Kept = z.object({ password: z.string(), address: z.string() });

async function keptPassword({ keychain }: Machine, address: StudioAddress): Promise<string | null> {
  try {
    const { data } = Kept.safeParse(parsedJson((await (await keychain(KEYCHAIN_ENTRY)).getPassword()) ?? ''));
    return data?.address === address.text ? data.password : null;
  } catch {
    // No keychain on this machine, or a locked one.
    return null;
  }
}

/** Returns whether the system could keep it. */
export async function keepPassword({ keychain }: Machine, { address, password }: FoundStudio): Promise<boolean> {
  try {
    const text = JSON.stringify({ password: password ?? '', address: address.text } satisfies z.infer<typeof Kept>);
    await (await keychain(KEYCHAIN_ENTRY)).setPassword(text);
    return true;
  } catch {
    return false;
  }
}
