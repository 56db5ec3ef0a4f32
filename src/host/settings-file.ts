import { wholePath } from '../server/folders.ts';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod';
import { JsonObject, type Json } from '../contract/json.ts';
import { Settings, type SettingsChange } from '../contract/settings.ts';
import { settingsFileOf } from './data-folder.ts';
import { parseServiceAddress } from '../engine/api/address.ts';
import { templateProblem } from '../engine/downloads/take-path.ts';
import { messageOf, RefusedError, systemCode } from '../engine/base/errors.ts';
import type { SettingsStore } from '../server/services.ts';

/** Names the key in `config` commands. It is no setting: it never lies in this file. */
export const KEY_NAME = 'apiKey';

/** The settings of a data folder; defaults where none were set. Throws RefusedError when the file is unusable. */
export function readSettings(dataFolder: string): Settings {
  return checked(readRaw(dataFolder), `${settingsFileOf(dataFolder)}: `);
}

/**
 * Changes settings, or puts single ones back to their default (null). What the file holds besides is kept, even what this
 * release does not know. Throws RefusedError, and changes nothing, when a value is not allowed.
 */
function changeSettings(dataFolder: string, change: Values): void {
  const changed = merged(readRaw(dataFolder), tidied(change));
  checked(changed);
  writeWhole(settingsFileOf(dataFolder), `${JSON.stringify(changed, null, 2)}\n`);
}

/** The same for one setting from its text, or null. */
export function changeSetting(dataFolder: string, name: SettingName, text: string | null): void {
  const [group, leaf] = splitName(name);
  const value = text === null ? null : valueOf(name, text);
  changeSettings(dataFolder, { [group]: leaf === null ? value : { [leaf]: value } });
}

/** The settings with a change made to them. Throws RefusedError. */
const changedSettings = (settings: Settings, change: SettingsChange): Settings =>
  checked(merged(settings, tidied(change)));

type Values = Readonly<Record<string, unknown>>;

const isGroup = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Groups are merged, lists replaced; null leaves a setting out. */
function merged(raw: Values, change: Values): Values {
  const result = new Map(Object.entries(raw));
  for (const [name, value] of Object.entries(change)) {
    const before = result.get(name);
    if (value === null) result.delete(name);
    else if (isGroup(value)) result.set(name, merged(isGroup(before) ? before : {}, value));
    else if (value !== undefined) result.set(name, value);
  }
  return Object.fromEntries(result);
}

/** Addresses and folders as they are kept. Throws RefusedError for one that cannot be, and for a broken name template. */
function tidied(change: Values): Values {
  const { baseUrl, nameTemplate } = change;
  if (typeof nameTemplate === 'string') checkTemplate(nameTemplate);
  const folders = folderSettings.flatMap((name) => {
    const folder = change[name];
    return typeof folder === 'string' && folder !== '' ? [[name, madeFolder(folder)]] : [];
  });
  const address = typeof baseUrl === 'string' && baseUrl !== '' && { baseUrl: parseServiceAddress(baseUrl).base };
  return { ...change, ...address, ...Object.fromEntries(folders) };
}

/** Dotted: `concurrency.submit`. Only names in `settingNames` are made. */
export type SettingName = string;

const defaults = Settings.parse({});

/** Every setting, in the order of the contract. */
export const settingNames: readonly SettingName[] = Object.entries(defaults).flatMap(([name, value]) =>
  typeof value === 'object' && !Array.isArray(value) ? Object.keys(value).map((leaf) => `${name}.${leaf}`) : [name],
);

/** The setting a person means: `base-url`, `BaseURL` and `baseUrl` are one. Throws RefusedError. */
export function settingNamed(text: string): SettingName | typeof KEY_NAME {
  const found = [...settingNames, KEY_NAME].find((name) => folded(name) === folded(text));
  if (found !== undefined) return found;
  throw new RefusedError(
    'no_setting',
    `There is no setting called ${text}.`,
    'Look at the list of settings for its name.',
  );
}

const folded = (name: string) => name.toLowerCase().replace(/[-_ ]/g, '');

/** A setting as people read and write it: lists as JSON. */
export function settingText(settings: Settings, name: SettingName): string {
  const value = valueAt(settings, name);
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}

function valueAt(settings: object, name: SettingName): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, part) => Object.entries(value ?? {}).find(([key]) => key === part)?.[1], settings);
}

function splitName(name: SettingName): [group: string, leaf: string | null] {
  const dot = name.indexOf('.');
  return dot < 0 ? [name, null] : [name.slice(0, dot), name.slice(dot + 1)];
}

/** What a text says, by what the setting usually is; a text that says no such thing is left for `checked` to refuse. */
function valueOf(name: SettingName, text: string): Json {
  const usual = valueAt(defaults, name);
  if (typeof usual === 'string') return text;
  if (typeof usual === 'boolean') return booleans.get(text.trim().toLowerCase()) ?? text;
  if (typeof usual === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const booleans = new Map([
  ...['true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', 'no', 'off'].map((word) => [word, false] as const),
]);

function checkTemplate(template: string): void {
  const problem = templateProblem(template);
  if (problem === null) return;
  throw new RefusedError('bad_setting', problem, 'Put each field in a pair of braces, as in {shot}_t{take}.');
}

/** `where` is the file, when it was only read. */
function checked(raw: Values, where = ''): Settings {
  const settings = Settings.safeParse(raw);
  if (settings.success) return settings.data;
  const [issue] = settings.error.issues;
  throw new RefusedError(
    'unfit_setting',
    `${where}${issue ? issueText(issue, raw) : 'The settings are not valid'}.`.replace(/\.\.$/, '.'),
    'Set an allowed value, or reset it to its default.',
  );
}

/** What is wrong with a setting, as a sentence without its end. */
function issueText(issue: z.core.$ZodIssue, raw: Values): string {
  const name = issue.path.join('.');
  const given = JSON.stringify(valueAt(raw, name) ?? null);
  switch (issue.code) {
    case 'invalid_value':
      return `${name} is one of ${new Intl.ListFormat('en-GB').format(issue.values.map(String))}; ${given} is none of them`;
    case 'invalid_type':
      return `${name} is ${typeWords[issue.expected] ?? issue.expected}; ${given} is not`;
    case 'too_small':
      if (issue.origin === 'string') return `${name} must not be empty`;
      return `${name} must be ${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `${name} must have ${issue.maximum} characters at most`
        : `${name} must be ${issue.maximum} at most`;
    default:
      return `${name} ${issue.message}`;
  }
}

const typeWords: Readonly<Record<string, string>> = {
  number: 'a number',
  boolean: 'true or false',
  array: 'written as JSON',
};

function readRaw(dataFolder: string): JsonObject {
  const file = settingsFileOf(dataFolder);
  try {
    return JsonObject.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {};
    throw new RefusedError(
      'settings_file',
      `The settings in ${file} cannot be read: ${systemCode(error) ?? messageOf(error)}.`,
      'Correct the file, or move it away to start with the defaults.',
      { cause: error },
    );
  }
}

/** Replaces a file that only its owner may read, at once: a reader sees the old or the new one, never half of it. */
export function writeWhole(file: string, content: string): void {
  // Created by this very call, so that it has its rights before it has content.
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new RefusedError(
      'settings_file',
      `${file} cannot be written: ${messageOf(error)}.`,
      'Check the rights of the data folder.',
      {
        cause: error,
      },
    );
  }
}

/**
 * The settings of a data folder while its window is served. An address given on the command line holds until another
 * one is set in the window.
 */
export function settingsStore(dataFolder: string, atStart: Settings): SettingsStore {
  let current = atStart;
  return {
    get: () => current,
    change(change) {
      const wanted = changedSettings(current, change);
      changeSettings(dataFolder, change);
      current = wanted;
      return current;
    },
  };
}

/** Settings that name a folder. Empty, they are at their default. */
const folderSettings = ['projectsFolder', 'selectsFolder'] as const;

/**
 * The folder that a setting is to name, its path tidied. Made now when it is not there, so that the dialogue that proposes
 * it can begin in it. Throws RefusedError.
 */
function madeFolder(path: string): string {
  const folder = wholePath(path);
  try {
    // One that is there is left alone: some systems refuse to be asked for the top of a disk.
    if (!isFolder(folder)) mkdirSync(folder, { recursive: true });
    return folder;
  } catch (error) {
    throw new RefusedError(
      'bad_folder',
      `${folder} is not there and cannot be made: ${reasonOf(error)}.`,
      'Choose another folder.',
      { cause: error },
    );
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'there is a file on the way to it',
  ENOENT: 'the disk is not there',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'that disk can only be read',
  ENOSPC: 'that disk is full',
  ENAMETOOLONG: 'its name is too long',
};

const reasonOf = (error: unknown): string => reasons[systemCode(error) ?? ''] ?? messageOf(error);
