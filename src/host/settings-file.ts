import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type * as z from 'zod';
import { JsonObject, type Json } from '../contract/json.ts';
import { Settings } from '../contract/settings.ts';
import { parseServiceAddress } from '../engine/api/address.ts';
import { templateProblem } from '../engine/downloads/take-path.ts';
import { messageOf, RefusedError, systemCode } from '../engine/errors.ts';
import { isFolderSetting, madeFolder } from './folder-settings.ts';

/** Names the key in `config` commands. It is no setting: it never lies in this file. */
export const KEY_NAME = 'apiKey';

const settingsFile = (dataFolder: string) => join(dataFolder, 'settings.json');

/** The settings of a data folder; defaults where none were set. Throws RefusedError when the file is unusable. */
export function readSettings(dataFolder: string): Settings {
  return checked(readRaw(dataFolder), settingsFile(dataFolder));
}

/**
 * Sets one setting from its text, or back to its default (`text` null). What the file holds besides is kept, even
 * what this release does not know. Returns the settings as they are now. Throws RefusedError.
 */
export function changeSetting(dataFolder: string, name: SettingName, text: string | null): Settings {
  const raw = readRaw(dataFolder);
  const [group, leaf] = splitName(name);
  const value = text === null ? undefined : valueOf(name, text);
  const changed = withValue(raw, group, leaf === null ? value : withValue(groupOf(raw, group), leaf, value));
  const settings = checked(changed, name);
  writeWhole(settingsFile(dataFolder), `${JSON.stringify(changed, null, 2)}\n`);
  return settings;
}

/** The same with `value` under `name`, or without `name` when there is none. */
function withValue(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const others = Object.entries(object).filter(([key]) => key !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
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

function valueAt(settings: Settings, name: SettingName): unknown {
  const [group, leaf] = splitName(name);
  const value = Object.entries(settings).find(([key]) => key === group)?.[1];
  return leaf === null ? value : Object.entries(value ?? {}).find(([key]) => key === leaf)?.[1];
}

function splitName(name: SettingName): [group: string, leaf: string | null] {
  const dot = name.indexOf('.');
  return dot < 0 ? [name, null] : [name.slice(0, dot), name.slice(dot + 1)];
}

function groupOf(raw: JsonObject, group: string): JsonObject {
  const found = JsonObject.safeParse(raw[group]);
  return found.success ? found.data : {};
}

function valueOf(name: SettingName, text: string): Json {
  if (name === 'baseUrl' && text !== '') return parseServiceAddress(text).base;
  if (name === 'nameTemplate') return checkedTemplate(text);
  if (isFolderSetting(name) && text !== '') return madeFolder(text);
  const usual = valueAt(defaults, name);
  if (Array.isArray(usual)) return jsonOf(name, text);
  if (typeof usual === 'boolean') return booleanOf(name, text);
  return typeof usual === 'number' ? numberOf(name, text) : text;
}

/** A name template as it was given. Throws RefusedError when its braces do not fit together. */
export function checkedTemplate(template: string): string {
  const problem = templateProblem(template);
  if (problem === null) return template;
  throw new RefusedError('bad_setting', problem, 'Put each field in a pair of braces, as in {shot}_t{take}.');
}

function numberOf(name: SettingName, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new RefusedError(
    'bad_setting',
    `${name} is a number; "${text}" is not one.`,
    `For example: dailies config set ${name} 4`,
  );
}

function booleanOf(name: string, text: string): boolean {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', 'on'].includes(word)) return true;
  if (['false', 'no', 'off'].includes(word)) return false;
  throw new RefusedError(
    'bad_setting',
    `${name} is true or false; "${text}" is neither.`,
    `For example: dailies config set ${name} true`,
  );
}

function jsonOf(name: SettingName, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new RefusedError(
      'bad_setting',
      `${name} is written as JSON: ${messageOf(error)}.`,
      `See it with: dailies config get ${name}`,
      { cause: error },
    );
  }
}

function checked(raw: JsonObject, where: string): Settings {
  const settings = Settings.safeParse(raw);
  if (settings.success) return settings.data;
  const [issue] = settings.error.issues;
  throw new RefusedError(
    'unfit_setting',
    issueText(issue, where, raw),
    'Set it to something that it can be, or back to its default.',
  );
}

/** What is wrong with a setting, in one sentence. `where` is the file, or the setting that is being changed. */
function issueText(issue: z.core.$ZodIssue | undefined, where: string, raw: JsonObject): string {
  const name = issue?.path.join('.') ?? '';
  const place = where === name || issue === undefined ? '' : `${where}: `;
  if (issue?.code === 'invalid_value') {
    const words = new Intl.ListFormat('en-GB').format(issue.values.map(String));
    return `${place}${name} is one of ${words}; ${JSON.stringify(rawAt(raw, name) ?? null)} is none of them.`;
  }
  return `${place}${name} ${(issue && limitText(issue)) ?? issue?.message ?? 'is not valid'}.`.replace(/\.\.$/, '.');
}

/** What a setting must be, where that is a limit. */
function limitText(issue: z.core.$ZodIssue): string | null {
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return 'must not be empty';
    return `must be ${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}`;
  }
  if (issue.code === 'too_big') {
    if (issue.origin === 'string') return `must have ${issue.maximum} characters at most`;
    return `must be ${issue.maximum} at most`;
  }
  if (issue.code !== 'invalid_format') return null;
  if (issue.format === 'starts_with') return `must begin with ${(issue as z.core.$ZodIssueStringStartsWith).prefix}`;
  if (issue.format === 'includes') return `must contain ${(issue as z.core.$ZodIssueStringIncludes).includes}`;
  return null;
}

function rawAt(raw: JsonObject, name: string): Json | undefined {
  const [group, leaf] = splitName(name);
  return leaf === null ? raw[group] : groupOf(raw, group)[leaf];
}

function readRaw(dataFolder: string): JsonObject {
  const file = settingsFile(dataFolder);
  try {
    return JsonObject.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {};
    throw new RefusedError(
      'settings_file',
      `The settings in ${file} cannot be read: ${systemCode(error) ?? messageOf(error)}.`,
      'Put the file right, or move it away to start with the defaults.',
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
