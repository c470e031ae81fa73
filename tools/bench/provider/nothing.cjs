/** A provider that does nothing: what an operation costs with it is the engine's own cost. */
module.exports = {
  check: async (_olds, news) => ({ inputs: news }),
  diff: async (_id, olds, news) => ({ changes: olds.description === news.description ? false : undefined }),
  create: async (inputs) => ({ id: "nothing", outs: inputs }),
  read: async (id, properties) => ({ id, props: properties }),
  update: async (_id, _olds, news) => ({ outs: news }),
  delete: async () => {},
};
