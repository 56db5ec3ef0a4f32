import type { Reel, ReelClip } from '../contract/reel.ts';

export interface ReelPlayer {
  readonly at: () => number;
  readonly clip: () => ReelClip;
  /** Of the film that is shown, from its first one. */
  readonly frame: () => number;
  readonly go: (index: number) => void;
  readonly play: (plays: boolean) => void;
  readonly isPlaying: () => boolean;
  readonly stepBy: (frames: number) => void;
}

interface Listener {
  readonly onClip: () => void;
  readonly onFrame: () => void;
  readonly onPlaying: () => void;
  readonly onUnplayable: () => void;
}

/**
 * Plays the clips of a reel with its music. The page has this function as text, so it uses nothing from outside itself
 * but the browser.
 */
export function reelPlayer({ clips, music, rate }: Reel, on: Listener): ReelPlayer {
  const find = <Found extends HTMLElement>(id: string): Found => document.getElementById(id) as Found;
  const films = [find<HTMLVideoElement>('film-a'), find<HTMLVideoElement>('film-b')] as const;
  const still = find<HTMLImageElement>('still');
  const sounds = music.map(({ file, volume }) => Object.assign(new Audio(file), { volume, preload: 'auto' }));

  let at = 0;
  let isPlaying = false;
  /** Seconds into a clip that has no film to ask. */
  let elapsed = 0;
  let tickedAt = 0;
  let ticking = 0;

  const clip = (): ReelClip => clips[at] as ReelClip;
  /** Two in turn: the next film is there before the cut. */
  const playerFor = (index: number): HTMLVideoElement => films[index % 2 === 0 ? 0 : 1];
  const isFilm = (): boolean => clip().type !== 'still';
  const cutSeconds = (frames: number): number => (frames * rate.den) / rate.num;
  /** In the middle of a frame: at its edge players show the one or the other. */
  const secondsOf = (frame: number, { num, den }: Reel['rate']): number => ((frame + 0.5) * den) / num;
  const frame = (): number => Math.floor((playerFor(at).currentTime * clip().rate.num) / clip().rate.den + 0.01);

  function prepare(index: number): void {
    const next = clips[index];
    if (!next || next.type === 'still') return;
    const player = playerFor(index);
    if (player.getAttribute('src') !== next.file) player.src = next.file;
    player.currentTime = secondsOf(next.in, next.rate);
  }

  function go(index: number): void {
    if (!clips[index]) return;
    for (const each of films) each.pause();
    at = index;
    elapsed = 0;
    prepare(at);
    if (!isFilm()) still.src = clip().file;
    still.alt = clip().shot;
    still.hidden = isFilm();
    for (const each of films) each.hidden = !isFilm() || each !== playerFor(at);
    prepare(at + 1);
    if (isPlaying) start();
    on.onClip();
  }

  function start(): void {
    tickedAt = performance.now();
    cancelAnimationFrame(ticking);
    ticking = requestAnimationFrame(tick);
    if (isFilm())
      playerFor(at)
        .play()
        .catch(() => play(false));
  }

  function play(plays: boolean): void {
    if (plays === isPlaying) return;
    isPlaying = plays;
    on.onPlaying();
    if (plays && at === clips.length - 1 && isOver()) go(0);
    else if (plays) start();
    else for (const each of [...films, ...sounds]) each.pause();
  }

  const isOver = (): boolean =>
    isFilm() ? playerFor(at).ended || frame() >= clip().out : elapsed >= cutSeconds(clip().length);

  function tick(now: number): void {
    if (!isPlaying) return;
    elapsed += Math.max(0, now - tickedAt) / 1000;
    tickedAt = now;
    playMusic();
    on.onFrame();
    if (!isOver()) ticking = requestAnimationFrame(tick);
    else if (at < clips.length - 1) go(at + 1);
    else play(false);
  }

  function playMusic(): void {
    const into = isFilm() ? playerFor(at).currentTime - secondsOf(clip().in, clip().rate) : elapsed;
    const position = cutSeconds(clip().start) + into;
    for (const [index, sound] of sounds.entries()) {
      const { start: from = 0, length = 0, in: begin = 0 } = music[index] ?? {};
      const wanted = Math.max(0, position - cutSeconds(from)) + cutSeconds(begin);
      if (position < cutSeconds(from) || position >= cutSeconds(from + length)) sound.pause();
      else {
        // Less is heard as nothing, and each correction as a click.
        if (Math.abs(sound.currentTime - wanted) > 0.3) sound.currentTime = wanted;
        if (sound.paused) sound.play().catch(() => undefined);
      }
    }
  }

  function stepBy(frames: number): void {
    play(false);
    if (!isFilm()) return;
    const wanted = Math.min(clip().out - 1, Math.max(clip().in, frame() + frames));
    playerFor(at).currentTime = secondsOf(wanted, clip().rate);
  }

  for (const player of films) {
    player.addEventListener('seeked', on.onFrame);
    player.addEventListener('error', () => {
      if (player !== playerFor(at) || !isFilm()) return;
      play(false);
      on.onUnplayable();
    });
  }
  return { at: () => at, clip, frame, go, play, isPlaying: () => isPlaying, stepBy };
}
