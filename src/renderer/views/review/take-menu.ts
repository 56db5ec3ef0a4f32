import ClipboardCopy from '@lucide/svelte/icons/clipboard-copy';
import Columns2 from '@lucide/svelte/icons/columns-2';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import Maximize2 from '@lucide/svelte/icons/maximize-2';
import NotebookPen from '@lucide/svelte/icons/notebook-pen';
import Plus from '@lucide/svelte/icons/plus';
import Share from '@lucide/svelte/icons/share';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import Tag from '@lucide/svelte/icons/tag';
import TextQuote from '@lucide/svelte/icons/text-quote';
import ArchiveRestore from '@lucide/svelte/icons/archive-restore';
import Trash2 from '@lucide/svelte/icons/trash-2';
import ThumbsDown from '@lucide/svelte/icons/thumbs-down';
import ThumbsUp from '@lucide/svelte/icons/thumbs-up';
import type { LucideIcon } from '@lucide/svelte';
import type { MenuEntry } from '../../lib/components/MenuEntries.svelte';
import type { Command } from '../../lib/state/commands.svelte.ts';
import { desktop } from '../../lib/state/desktop.svelte.ts';

/** The most used commands, in the order of the work; `null` is a line. */
const shown: readonly (readonly [id: string, icon: LucideIcon] | null)[] = [
  ['enter', Maximize2],
  ['compare', Columns2],
  null,
  ['pick', ThumbsUp],
  ['reject', ThumbsDown],
  ['note', NotebookPen],
  ['tag', Tag],
  null,
  ['again', Plus],
  ['again-changed', SlidersHorizontal],
  ['describe', TextQuote],
  null,
  ['reveal', FolderOpen],
  ['copy-path', ClipboardCopy],
  ['export', Share],
  null,
  ['trash', Trash2],
  ['untrash', ArchiveRestore],
];

/** The menu of a take: its commands, with their keys, so that people learn them here. */
export function takeMenu(commands: readonly Command[]): (MenuEntry | null)[] {
  return shown.flatMap((entry) => {
    if (entry === null) return [null];
    const [id, icon] = entry;
    const command = commands.find((each) => each.id === `review-${id}`);
    if (!command) return [];
    const { title, keys, run, enabled } = command;
    const label = id === 'reveal' ? desktop.showInFolder : title;
    return [{ label, icon, run, disabled: !(enabled?.() ?? true), ...(keys !== undefined && { keys }) }];
  });
}
