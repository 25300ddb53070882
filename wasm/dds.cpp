// What the page asks of DDS: one strain of a table, and every card of a position.

#include <cstring>
#include <emscripten.h>

#include "dll.h"

namespace {

constexpr int kMegabytes = 130;  // DDS then takes its large table, of 95 to 160 MB
constexpr int kOtherStrains = 1;

void Prepare() {
  static bool ready = false;
  if (!ready) SetResources(kMegabytes, 1);
  ready = true;
}

}  // namespace

extern "C" {

// Where the caller writes text (256 bytes) and numbers (64), and reads numbers.
EMSCRIPTEN_KEEPALIVE char* text() {
  static char place[256];
  return place;
}

EMSCRIPTEN_KEEPALIVE int* numbers() {
  static int place[64];
  return place;
}

// Tricks of the declarers N E S W in a strain (S H D C N: 0-4), into numbers(). Returns 1, or DDS' code of an error.
EMSCRIPTEN_KEEPALIVE int table(int strain) {
  Prepare();
  static ddTableDealsPBN deals;
  static ddTablesRes results;
  static allParResults par;
  deals.noOfTables = 1;
  std::strncpy(deals.deals[0].cards, text(), sizeof deals.deals[0].cards - 1);
  int filter[DDS_STRAINS];
  for (int other = 0; other < DDS_STRAINS; other++) filter[other] = other == strain ? 0 : kOtherStrains;
  const int code = CalcAllTablesPBN(&deals, -1, filter, &results, &par);
  for (int seat = 0; code == RETURN_NO_FAULT && seat < DDS_HANDS; seat++) {
    numbers()[seat] = results.results[0].resTable[strain][seat];
  }
  return code;
}

// Every card that the player on turn can play, into numbers(), four each: suit (0-3), rank (2-14), lower ranks that
// are as good (bits), tricks that the player's side still takes. numbers() has suit and rank of the `count` cards of the
// trick that `first` led. Returns how many cards, or DDS' code of an error.
EMSCRIPTEN_KEEPALIVE int position(int strain, int first, int count) {
  int* cards = numbers();
  Prepare();
  static dealPBN deal;
  static futureTricks future;
  deal.trump = strain;
  deal.first = first;
  for (int i = 0; i < 3; i++) {
    deal.currentTrickSuit[i] = i < count ? cards[2 * i] : 0;
    deal.currentTrickRank[i] = i < count ? cards[2 * i + 1] : 0;
  }
  std::strncpy(deal.remainCards, text(), sizeof deal.remainCards - 1);
  const int code = SolveBoardPBN(deal, -1, 3, 1, &future, 0);
  if (code != RETURN_NO_FAULT) return code;
  for (int i = 0; i < future.cards; i++) {
    cards[4 * i] = future.suit[i];
    cards[4 * i + 1] = future.rank[i];
    cards[4 * i + 2] = future.equals[i];
    cards[4 * i + 3] = future.score[i];
  }
  return future.cards;
}
}
