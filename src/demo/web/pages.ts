export interface WebPage {
  readonly url: string;
  readonly site: string;
  readonly title: string;
  /** Days before today. */
  readonly age: number;
  readonly area: 'global' | 'cn';
  readonly blocks: readonly Block[];
}

export interface Block {
  readonly tag: 'h2' | 'p' | 'blockquote' | 'nav' | 'figure';
  /** Of a figure: its description. */
  readonly text: string;
}

const p = (text: string): Block => ({ tag: 'p', text });
const h2 = (text: string): Block => ({ tag: 'h2', text });
const figure = (text: string): Block => ({ tag: 'figure', text });
const nav: Block = { tag: 'nav', text: 'Home · Archive · About' };

/** Small enough to load at once, and varied enough that a search has a choice. */
export const WEB: readonly WebPage[] = [
  {
    url: 'https://lights.example/fresnel',
    site: 'lights.example',
    title: 'How a Fresnel lens throws its light',
    age: 0,
    area: 'global',
    blocks: [
      nav,
      p('A lighthouse lens bends the light of one small lamp into a beam that is seen thirty kilometres out at sea.'),
      figure('A first-order Fresnel lens'),
      h2('On film'),
      p('The beam shows only where there is fog or dust. Keep the lamp out of the frame and let the haze do the work.'),
    ],
  },
  {
    url: 'https://lights.example/keepers',
    site: 'lights.example',
    title: 'The last keepers of the lighthouse',
    age: 40,
    area: 'global',
    blocks: [
      nav,
      p('Until 1998 two keepers wound the clockwork of the lamp every four hours, and wrote the weather into a log.'),
      { tag: 'blockquote', text: 'You never slept through a change of the wind.' },
      p('Their tools were oil, brass polish and a great deal of tea.'),
    ],
  },
  {
    url: 'https://harbour.example/tides',
    site: 'harbour.example',
    title: 'Tide tables for the outer harbour',
    age: 3,
    area: 'global',
    blocks: [p('High water comes fifty minutes later each day. Shoot the causeway two hours before it is covered.')],
  },
  {
    url: 'https://harbour.example/gulls',
    site: 'harbour.example',
    title: 'Why gulls follow the trawlers',
    age: 200,
    area: 'global',
    blocks: [p('A gull hears the winch before the net is up.'), figure('Gulls around a mast')],
  },
  {
    url: 'https://grade.example/dawn',
    site: 'grade.example',
    title: 'Grading dawn: cold shadows, warm horizon',
    age: 12,
    area: 'global',
    blocks: [
      nav,
      p('Dawn light is blue until the sun is up. Leave the shadows cold and warm only the horizon.'),
      figure('A harbour at dawn, before and after'),
    ],
  },
  {
    url: 'https://grade.example/night',
    site: 'grade.example',
    title: 'Day for night without the blue',
    age: 400,
    area: 'global',
    blocks: [p('Underexpose by two stops and keep the sky out of the frame. Moonlight is grey to the eye.')],
  },
  {
    url: 'https://cello.example/room',
    site: 'cello.example',
    title: 'Recording a cello in a wide room',
    age: 5,
    area: 'global',
    blocks: [p('One microphone at the height of the bridge, three metres off. The room is the second instrument.')],
  },
  {
    url: 'https://dengta.example/changming',
    site: 'dengta.example',
    title: '长明灯塔',
    age: 2,
    area: 'cn',
    blocks: [p('灯塔 (lighthouse) 建于明代，守塔人每夜点亮油灯。'), figure('海边的灯塔')],
  },
];

/** The address of the picture of a figure, below the address of the service itself: everything else is made up. */
export function pictureUrl(origin: string, page: WebPage, block: Block): string {
  return `${origin}/web/${String(WEB.indexOf(page))}/${String(page.blocks.indexOf(block))}.png`;
}
