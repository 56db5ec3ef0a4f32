import type { Reel, ReelTake, ReelTexts } from '../contract/reel.ts';
import type { ReelReview } from '../contract/reel-review.ts';
import type { reelPlayer } from './player.ts';

/**
 * The script of the page of a reel. The page has this function as text, so it uses nothing from outside itself but the
 * browser; types are gone by then. It makes no markup of what it is given: texts stay texts.
 */
export function reelPage(openPlayer: typeof reelPlayer): void {
  type Answer = Pick<ReelTake, 'rating' | 'flag' | 'note'> & { notes: { id: string; from: number; text: string }[] };
  type Flag = NonNullable<ReelTake['flag']>;

  const find = <Found extends HTMLElement>(id: string): Found => document.getElementById(id) as Found;
  const { reel, texts } = JSON.parse(find('data').textContent) as { reel: Reel; texts: ReelTexts };
  const { clips } = reel;
  const FLAGS: readonly Flag[] = ['pick', 'alternate', 'reject'];
  const reviewer = find<HTMLInputElement>('reviewer');
  const note = find<HTMLTextAreaElement>('note');
  const frameNote = find<HTMLInputElement>('frame-note');
  const stored = `dailies-reel-${reel.id}`;

  let isKept = true;
  let isSaved = true;
  let answers: Record<string, Answer> = {};

  const keyOf = ({ takeId, output }: ReelTake): string => `${takeId}/${output}`;
  const answerTo = (take: ReelTake): Answer => {
    const { rating, flag, note: text } = take;
    return answers[keyOf(take)] ?? { rating, flag, note: text, notes: [] };
  };
  const say = (text: string): void => void (find('said').textContent = text);
  const { clip, frame, at, go, play, isPlaying, stepBy } = openPlayer(reel, {
    onClip() {
      say('');
      show();
    },
    onFrame: () => showPosition(),
    onPlaying() {
      document.body.classList.toggle('playing', isPlaying());
      find('play').setAttribute('aria-label', isPlaying() ? texts.pause : texts.play);
    },
    onUnplayable: () => say(texts.unplayable),
  });

  function keep(): void {
    isSaved = false;
    try {
      localStorage.setItem(stored, JSON.stringify({ reviewer: reviewer.value, answers }));
    } catch {
      isKept = false;
      say(texts.notKept);
    }
  }

  function restore(): void {
    try {
      const kept = JSON.parse(localStorage.getItem(stored) ?? 'null') as {
        reviewer: string;
        answers: typeof answers;
      } | null;
      reviewer.value = kept?.reviewer ?? '';
      answers = kept?.answers ?? {};
    } catch {
      isKept = false;
    }
  }

  function change(part: Partial<Answer>): void {
    const { take, shotId } = clip();
    if (!take) return;
    // A shot has one pick.
    if (part.flag === 'pick') {
      for (const { take: other, shotId: id } of clips) {
        if (!other || id !== shotId || other.takeId === take.takeId) continue;
        if (answerTo(other).flag === 'pick') answers[keyOf(other)] = { ...answerTo(other), flag: 'alternate' };
      }
    }
    answers[keyOf(take)] = { ...answerTo(take), ...part };
    keep();
    show();
  }

  const button = (label: string, press: () => void, pressed?: boolean): HTMLButtonElement => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = label;
    made.addEventListener('click', press);
    if (pressed !== undefined) made.setAttribute('aria-pressed', String(pressed));
    return made;
  };
  const line = (words: string): HTMLLIElement => {
    const made = document.createElement('li');
    const text = document.createElement('span');
    text.dir = 'auto';
    text.textContent = words;
    made.append(text);
    return made;
  };

  function show(): void {
    const { shot, text, take, type } = clip();
    find('shot').textContent = shot;
    find('take').textContent = take ? texts.take.replace('{take}', String(take.number)) : texts.slate;
    find('text').textContent = text;
    find('verdict').hidden = !take;
    find('at-frames').hidden = !take || type !== 'film';
    for (const [index, each] of [...find('clips').children].entries()) {
      if (index === at()) each.setAttribute('aria-current', 'true');
      else each.removeAttribute('aria-current');
      const other = clips[index]?.take;
      const { rating, flag } = other ? answerTo(other) : { rating: 0, flag: null };
      const mark = flag === 'pick' ? '✓ ' : flag === 'reject' ? '✕ ' : flag === 'alternate' ? '○ ' : '';
      (each.lastElementChild as HTMLElement).textContent = `${mark}${'★'.repeat(rating)}`;
    }
    find('clips').children[at()]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    showPosition();
    if (!take) return;
    const answer = answerTo(take);
    const stars = [1, 2, 3, 4, 5].map((count) => {
      const star = button(count <= answer.rating ? '★' : '☆', () =>
        change({ rating: answer.rating === count ? 0 : count }),
      );
      star.setAttribute('aria-label', texts.stars.replace('{stars}', String(count)));
      star.setAttribute('aria-pressed', String(count === answer.rating));
      return star;
    });
    const flags = FLAGS.map((flag) =>
      button(texts[flag], () => change({ flag: answer.flag === flag ? null : flag }), answer.flag === flag),
    );
    const focused = [...find('verdict').querySelectorAll('button')].indexOf(document.activeElement as never);
    find('stars').replaceChildren(...stars);
    find('flags').replaceChildren(...flags);
    if (focused >= 0) find('verdict').querySelectorAll('button')[focused]?.focus();
    if (document.activeElement !== note) note.value = answer.note;
    const others = take.notes.map(({ from, text: words, by }) => line(`${from}f · ${words}${by ? ` (${by})` : ''}`));
    const own = answer.notes.map(({ id, from, text: words }) => {
      const made = line(`${from}f · ${words}`);
      const remove = button('✕', () => change({ notes: answerTo(take).notes.filter((each) => each.id !== id) }));
      remove.setAttribute('aria-label', texts.remove);
      made.append(remove);
      return made;
    });
    find('notes').replaceChildren(...others, ...own);
  }

  function showPosition(): void {
    const of = texts.position.replace('{at}', String(at() + 1)).replace('{count}', String(clips.length));
    find('position').textContent = clip().type === 'film' ? `${of} · ${frame()}f` : of;
  }

  function addNote(): void {
    const { take, type } = clip();
    const text = frameNote.value.trim();
    if (!take || type !== 'film' || text === '') return;
    const id = `r${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
    frameNote.value = '';
    change({ notes: [...answerTo(take).notes, { id, from: frame(), text }] });
  }

  function save(): void {
    const name = reviewer.value.trim();
    if (name === '') {
      reviewer.focus();
      return say(texts.reviewerNeeded);
    }
    const takes = new Map(clips.flatMap(({ take }) => (take ? [[keyOf(take), take]] : [])));
    const review: ReelReview = {
      ...{ type: 'dailies-review', version: 1, reelId: reel.id, reel: reel.name },
      ...{ projectId: reel.projectId, reviewer: name },
      takes: [...takes.values()].flatMap((take) => {
        const { rating, flag, note: text, notes } = answerTo(take);
        const changed = {
          ...(rating !== take.rating && { rating }),
          ...(flag !== take.flag && { flag }),
          ...(text !== take.note && { note: text }),
        };
        if (Object.keys(changed).length === 0 && notes.length === 0) return [];
        return [{ takeId: take.takeId, output: take.output, sha256: take.sha256, ...changed, notes }];
      }),
    };
    const link = document.createElement('a');
    const url = URL.createObjectURL(new Blob([JSON.stringify(review, null, 1)], { type: 'application/json' }));
    const stem = `${reel.name} ${name}`.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 100);
    Object.assign(link, { href: url, download: `${stem}.dailies-review.json` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    isSaved = true;
    say(texts.saved.replace('{file}', `${stem}.dailies-review.json`));
  }

  const KEYS: Readonly<Record<string, () => void>> = {
    ' ': () => play(!isPlaying()),
    ...{ ArrowUp: () => go(at() - 1), ArrowDown: () => go(at() + 1), ArrowLeft: () => stepBy(-1) },
    ...{ ArrowRight: () => stepBy(1), n: () => frameNote.focus() },
    ...{ p: () => toggle('pick'), a: () => toggle('alternate'), x: () => toggle('reject') },
    ...Object.fromEntries([0, 1, 2, 3, 4, 5].map((rating) => [String(rating), () => change({ rating })])),
  };
  const toggle = (flag: Flag): void => {
    const { take } = clip();
    if (take) change({ flag: answerTo(take).flag === flag ? null : flag });
  };

  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const isTyping = target.matches('input, textarea');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ' ' && target.matches('button')) return;
    const press = KEYS[event.key.toLowerCase()] ?? KEYS[event.key];
    if (!press) return;
    event.preventDefault();
    press();
  });
  note.addEventListener('input', () => change({ note: note.value }));
  reviewer.addEventListener('input', keep);
  find('note-form').addEventListener('submit', (event) => {
    event.preventDefault();
    addNote();
  });
  frameNote.addEventListener('focus', () => play(false));
  find('previous').addEventListener('click', () => go(at() - 1));
  find('next').addEventListener('click', () => go(at() + 1));
  find('back').addEventListener('click', () => stepBy(-1));
  find('forward').addEventListener('click', () => stepBy(1));
  find('play').addEventListener('click', () => play(!isPlaying()));
  find('save').addEventListener('click', save);
  addEventListener('beforeunload', (event) => {
    if (!isKept && !isSaved) event.preventDefault();
  });
  for (const [index, { shot }] of clips.entries()) {
    const made = button('', () => go(index));
    const [name, mark] = [document.createElement('b'), document.createElement('small')];
    name.textContent = shot;
    name.dir = 'auto';
    made.append(name, mark);
    find('clips').append(made);
  }
  restore();
  go(0);
}
