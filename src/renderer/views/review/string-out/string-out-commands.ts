import { moveClip, removeClips, setEnabled, trimClip, type Clip } from '../../../../contract/cut.ts';
import { t } from '../../../../contract/messages/words.ts';
import type { TimelineClip } from '../../../../contract/timeline.ts';
import { commandTable, type Command } from '../../../lib/state/commands.svelte.ts';
import { projects, unlessArchived } from '../../../lib/state/projects.svelte.ts';
import { undoHistory } from '../../../lib/undo.svelte.ts';
import type { CutEditor } from './cut-editor.svelte.ts';
import type { StringOutPlayer } from './string-out-player.svelte.ts';
import { canTrim, trimAt, trimBy, type Edge } from './trim-here.ts';

export interface StringOutKeys {
  readonly editor: CutEditor;
  readonly player: StringOutPlayer;
  /** The clip that the keys are about; one that is switched off is not in the timeline. */
  readonly chosen: () => Clip | null;
  readonly laid: () => TimelineClip | null;
  readonly choose: (clip: Clip) => void;
  /** False while shots are played around a take: what is shown is no cut then. */
  readonly canEdit: () => boolean;
  readonly nextTake: () => void;
  readonly canChangeTake: () => boolean;
  readonly useTake: () => void;
}

/** Where a take of a string-out begins and ends is kept with its clip. */
export function clipTrims({ editor, player, laid, canEdit }: StringOutKeys) {
  const trim = (change: (clip: TimelineClip) => ReturnType<typeof trimAt>, offset?: number): void => {
    const clip = laid();
    if (!clip || !canEdit() || projects.isReadOnly) return;
    if (!canTrim(clip)) {
      undoHistory.said = t('stringOut.varies', { file: clip.media?.name ?? '' });
      return;
    }
    player.pause();
    const made = change(clip);
    void editor.edit(
      (cut) => trimClip(cut, clip.id, made),
      offset === undefined ? undefined : { clipId: clip.id, offset },
    );
  };
  const here = (clip: TimelineClip): number => player.frame - clip.start;
  return {
    markIn: () => trim((clip) => trimAt(clip, 'in', here(clip), player.rate), 0),
    markOut: () => trim((clip) => trimAt(clip, 'out', here(clip), player.rate)),
    clearMarks: () => trim(() => ({ in: null, out: null, length: null })),
    trimBy: (edge: Edge, by: number) => trim((clip) => trimBy(clip, edge, by, player.rate)),
  };
}

export function stringOutCommands(keys: StringOutKeys): Command[] {
  const { editor, player, chosen, laid, canEdit } = keys;
  const hasClips = (): boolean => player.clip !== null;
  const canChange = (): boolean => canEdit() && chosen() !== null;
  const isLaid = (): boolean => canEdit() && laid() !== null;
  const trims = clipTrims(keys);
  const placeOf = (clip: Clip | null): number => editor.clips.findIndex(({ id }) => id === clip?.id);

  const goBy = (by: number): void => {
    if (!canEdit()) return jump(by);
    const next = editor.clips[placeOf(chosen()) + by];
    if (next) keys.choose(next);
  };
  const jump = (by: number): void => {
    const next = player.timeline?.clips[player.index + by];
    if (next) player.seekFrame(next.start);
  };
  const onClip = (change: (clip: Clip) => void) => (): void => {
    const clip = chosen();
    if (clip) change(clip);
  };
  const move = (by: number) =>
    onClip(
      ({ id }) =>
        void editor.edit((cut) => {
          const from = cut.clips.findIndex((clip) => clip.id === id);
          const to = from + by;
          return to < 0 || to >= cut.clips.length ? cut : moveClip(cut, id, to);
        }),
    );
  const toggle = onClip(({ id, enabled }) => void editor.edit((cut) => setEnabled(cut, [id], !enabled)));
  const remove = onClip((clip) => {
    const next = editor.clips[placeOf(clip) + 1] ?? editor.clips[placeOf(clip) - 1];
    void editor.edit((cut) => removeClips(cut, [clip.id]), next && { clipId: next.id, offset: 0 });
  });

  return [
    ...commandTable('Player', 'string-out-', [
      ['step-back', t('review.frameBack'), 'ArrowLeft', () => player.step(-1), hasClips],
      ['step-on', t('review.frameForward'), 'ArrowRight', () => player.step(1), hasClips],
      ['before', t('stringOut.previousClip'), 'ArrowUp', () => goBy(-1), hasClips],
      ['next', t('stringOut.nextClip'), 'ArrowDown', () => goBy(1), hasClips],
      ['begin', t('stringOut.toBegin'), 'Home', () => player.seekFrame(0), hasClips],
      ['end', t('stringOut.toEnd'), 'End', () => player.seekFrame(player.lastFrame), hasClips],
    ]),
    ...commandTable('Review', 'string-out-', [
      ['earlier', t('stringOut.earlier'), 'Alt+ArrowLeft', move(-1), canChange],
      ['later', t('stringOut.later'), 'Alt+ArrowRight', move(1), canChange],
      ['end-earlier', t('stringOut.endEarlier'), '[', () => trims.trimBy('out', -1), isLaid],
      ['end-later', t('stringOut.endLater'), ']', () => trims.trimBy('out', 1), isLaid],
      ['start-earlier', t('stringOut.startEarlier'), 'Shift+{', () => trims.trimBy('in', -1), isLaid],
      ['start-later', t('stringOut.startLater'), 'Shift+}', () => trims.trimBy('in', 1), isLaid],
      [
        'switch',
        () => t(chosen()?.enabled === false ? 'stringOut.switchOn' : 'stringOut.switchOff'),
        'Shift+d',
        toggle,
        canChange,
      ],
      ['take', t('stringOut.otherTake'), 'a', keys.nextTake, keys.canChangeTake],
      ['remove', t('stringOut.remove'), 'Delete', remove, canChange],
      ['add-picks', t('stringOut.addPicks'), '', () => void editor.addPicks(), () => editor.missing > 0],
      ['use', t('stringOut.useTake'), 'Enter', keys.useTake, () => editor.around !== null],
      ['save', t('cut.save'), '', () => void editor.save(), () => editor.shown !== null && !editor.isSaved],
    ]).map(unlessArchived),
  ];
}
