"use strict";
// The board of Dragonrealm. Its parts are in the other files of this folder.
(() => {
  const { html } = arena;
  const realm = (arena.dragonrealm ??= {});

  /** The seat whose turn it is, and the decision or chance event that is due. */
  const Status = ({ shared, names }) => {
    const { phase, actor, turn } = shared;
    const decides = typeof actor === "number" && names[actor] !== undefined;
    return html`<p class="dr-status">${turn > 0 && html`<b>Turn ${turn}</b> `}<span>${decides
      && html`<${arena.Seat} seat=${actor} name=${names[actor]} /> `}${realm.phaseOf(phase)
    }</span></p>`;
  };

  /**
   * The table in one position. Props are those of every board; before: optional, the shared
   * observation before the ply, without which an ended Explore is shown without place and cards.
   */
  arena.boards.dragonrealm = (props) => {
    const { shared, names, observations, event, before } = props;
    const options = props.options ?? {};
    const changes = realm.changesOf(event);
    const explore = realm.exploreOf({ shared, before, event, changes });
    const printed = realm.printedIn(observations);
    return html`<div class="dr-board"><div class="dr-table-top">
      <${Status} shared=${shared} names=${names} />
      <${realm.Row} shared=${shared} names=${names} options=${options} changes=${changes}
        attempt=${explore} />
      <div class="dr-centre"><${realm.Decks} shared=${shared} observations=${observations}
        changes=${changes} printed=${printed} />
        <${realm.Action} shared=${shared} names=${names} before=${before} event=${event}
          changes=${changes} explore=${explore} /></div>
      <${realm.Seats} props=${{ ...props, options }} changes=${changes} explore=${explore}
        printed=${printed} /></div></div>`;
  };
})();
