// DDS as WebAssembly: one strain of a table, and every card of a position. See wasm/dds.cpp.

const RANKS = "23456789TJQKA";

/** Start DDS of a compiled module: {table, position}. */
export async function startDds(module) {
  const nothing = new Proxy({}, { get: () => () => 0 }); // of a system, DDS only asks to print
  const imports = Object.fromEntries(WebAssembly.Module.imports(module).map(({ module: name }) => [name, nothing]));
  const { exports: dds } = await WebAssembly.instantiate(module, imports);
  dds._initialize();
  const write = (text) => new Uint8Array(dds.memory.buffer, dds.text(), 256).set(new TextEncoder().encode(`${text}\0`));
  const numbers = () => new Int32Array(dds.memory.buffer, dds.numbers(), 64);
  const checked = (code) => {
    if (code < 1) throw new Error(`DDS answers ${code}`);
    return code;
  };
  return {
    /** Tricks of the declarers N E S W in a strain. */
    table(pbn, strain) {
      write(pbn);
      checked(dds.table(strain));
      return Array.from(numbers().subarray(0, 4));
    },
    /**
     * Every card that the player on turn can play: [[card, tricks], …], cards as SA, tricks those that the
     * player's side still takes. `pbn` has the cards not yet played, `trick` the cards of a trick that is not full.
     */
    position(pbn, strain, first, trick) {
      write(pbn);
      numbers().set(trick.flatMap((card) => ["SHDC".indexOf(card[0]), RANKS.indexOf(card[1]) + 2]));
      const count = checked(dds.position(strain, first, trick.length));
      return Array.from({ length: count }, (_, i) => {
        const [suit, rank, equals, tricks] = numbers().subarray(4 * i, 4 * i + 4);
        const ranks = [rank, ...Array.from({ length: 15 }, (__, bit) => bit).filter((bit) => equals & (1 << bit))];
        return ranks.map((each) => ["SHDC"[suit] + RANKS[each - 2], tricks]);
      }).flat();
    },
  };
}
