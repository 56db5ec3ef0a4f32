import type { Language } from './messages/languages.ts';

/**
 * The columns that *Save with status* adds to a person's own list. A list is read without them, so the names are none
 * that people give to columns of their own, and each language's are known in all.
 */
export const statusColumns = {
  state: { en: 'Dailies state', 'zh-CN': 'Dailies 状态' },
  take: { en: 'Dailies take', 'zh-CN': 'Dailies 条号' },
  pick: { en: 'Dailies pick', 'zh-CN': 'Dailies 选定' },
  rating: { en: 'Dailies rating', 'zh-CN': 'Dailies 评分' },
  takes: { en: 'Dailies takes saved', 'zh-CN': 'Dailies 已保存条数' },
  file: { en: 'Dailies file', 'zh-CN': 'Dailies 文件' },
  cost: { en: 'Dailies cost', 'zh-CN': 'Dailies 费用' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

export type StatusColumn = keyof typeof statusColumns;
export const STATUS_COLUMNS = Object.keys(statusColumns) as readonly StatusColumn[];

const byName: ReadonlyMap<string, StatusColumn> = new Map(
  STATUS_COLUMNS.flatMap((column) => Object.values(statusColumns[column]).map((name) => [name.toLowerCase(), column])),
);

/** Which of them a header names; null for every other. Pure. */
export const statusColumn = (header: string): StatusColumn | null => byName.get(header.trim().toLowerCase()) ?? null;
