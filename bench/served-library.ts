/** Ten groups of three pages and fifty of one: 5,000 assets in 60 groups. Pages hold 100. */
const GROUPS = Array.from({ length: 60 }, (_, index) => ({ id: `group_${index}`, assets: index < 10 ? 250 : 50 }));
const CREATED = 1_767_600_000;

export const LIBRARY = {
  groups: GROUPS.length,
  assets: GROUPS.reduce((sum, { assets }) => sum + assets, 0),
  /** Addresses of all its pages: of the groups, then of the assets of each group. */
  pages: [
    '/v1/asset-groups?page=1&page_size=100',
    ...GROUPS.flatMap(({ id, assets }) =>
      Array.from(
        { length: Math.ceil(assets / 100) },
        (_, page) => `/v1/assets?group_id=${id}&page=${page + 1}&page_size=100`,
      ),
    ),
  ],
};

/** Assets of the usual size, made once: what is measured is who reads them. */
const assets = new Map(
  GROUPS.map(({ id, assets: count }) => [id, Array.from({ length: count }, (_, index) => assetOf(id, index))]),
);
const answers = new Map<string, string>();

/** The answer to a question about the library that never changes, as JSON. */
export function libraryAnswer(path: string): string {
  const known = answers.get(path) ?? JSON.stringify(pageOf(new URL(path, 'http://localhost')));
  answers.set(path, known);
  return known;
}

/** The answer to an upload. */
export const uploadAnswer = (number: number): string => JSON.stringify(assetOf('group_0', 1_000_000 + number));

function pageOf({ pathname, searchParams }: URL): object {
  const page = Number(searchParams.get('page') ?? 1);
  const size = Number(searchParams.get('page_size') ?? 20);
  const cut = <Item>(all: readonly Item[]): Item[] => all.slice((page - 1) * size, page * size);
  if (pathname === '/v1/asset-groups') {
    return {
      object: 'list',
      page,
      page_size: size,
      total: GROUPS.length,
      data: cut(GROUPS.map(({ id }) => groupOf(id))),
    };
  }
  const group = searchParams.get('group_id');
  const wanted = group === null ? [...assets.values()].flat() : (assets.get(group) ?? []);
  return { page, page_size: size, total: wanted.length, items: cut(wanted) };
}

const groupOf = (id: string): object => ({
  object: 'asset_group',
  id,
  group_id: id,
  domain: 'media',
  name: `Cast of ${id}`,
  description: '',
  group_type: 'custom',
  status: 'enabled',
  visibility: 'private',
  created_at: CREATED,
  updated_at: CREATED,
});

function assetOf(groupId: string, index: number): object {
  const id = `asset_${groupId}_${index}`;
  return {
    id,
    asset_id: id,
    group_id: groupId,
    domain: 'media',
    type: 'image',
    name: `Portrait ${index}.png`,
    description: '',
    reference: `Asset://${id}`,
    content_type: 'image/png',
    size: 1_200_000,
    status: 'ready',
    sync_status: 'ready',
    preparation_status: 'ready',
    generation_ready: true,
    visibility: 'private',
    created_at: CREATED,
    updated_at: CREATED,
    request_id: `req_${id}`,
    trace_id: `trace_${id}`,
  };
}
