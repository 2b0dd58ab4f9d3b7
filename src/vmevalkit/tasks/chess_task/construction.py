"""Building mates: the king, the piece that mates it, every flight square taken, then the last move taken back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import chess

from vmevalkit.tasks.chess_task.families import Recipe
from vmevalkit.tasks.chess_task.mates import MOST

_CAPTURES = 0.25
"""How often the mating move takes something."""
PIECES = {symbol: chess.Piece.from_symbol(symbol) for symbol in "PNBRQKpnbrqk"}
_PAWN_RANKS = chess.BB_ALL & ~chess.BB_BACKRANKS


@dataclass(frozen=True, slots=True)
class Built:
    """A position before the mating move, and what must stay free for it."""

    board: chess.Board
    move: chess.Move
    reserved: chess.Bitboard
    """Squares on which further pieces would spoil the mate."""
    answered: chess.Bitboard
    """Squares that no further black piece may attack: it would take the mating piece or step in between."""


def build(rng: Random, recipe: Recipe) -> Built | None:
    """One try at a mate of a family; None where it leads nowhere."""
    return _Builder(rng, recipe).build()


class _Builder:
    """One try at a mate of a family."""

    def __init__(self, rng: Random, recipe: Recipe) -> None:
        self._rng, self._recipe = rng, recipe
        self._board = chess.Board(None)
        self._reserved = chess.BB_EMPTY
        self._king = rng.choice(recipe.kings)

    def build(self) -> Built | None:
        board, rng = self._board, self._rng
        self._put("k", self._king)
        mover = rng.choice(self._recipe.movers)
        target = self._aim(mover)
        if target is None:
            return None
        self._put(mover[-1], target)
        self._target = target
        self._line = chess.between(target, self._king)
        self._reserved |= self._line | chess.BB_SQUARES[target] | chess.BB_KING_ATTACKS[self._king]
        if not (self._guarded() and self._no_flight() and self._white_king()):
            return None
        board.turn = chess.BLACK
        if not board.is_checkmate():
            return None
        return self._taken_back(mover)

    def _put(self, symbol: str, square: chess.Square) -> None:
        self._board.set_piece_at(square, PIECES[symbol])

    def _free(self, symbol: str, squares: chess.Bitboard) -> chess.Bitboard:
        """Those of the squares on which one more such piece may stand."""
        return squares & room_for(self._board, PIECES[symbol])

    def _attacking(self, symbol: str, square: chess.Square) -> chess.Bitboard:
        """From where a white piece would attack the square."""
        board, kind = self._board, PIECES[symbol].piece_type
        return reach(kind, chess.BLACK, square, board.occupied & ~chess.BB_SQUARES[self._king])

    def _aim(self, mover: str) -> chess.Square | None:
        """Where the mating piece ends, in sight of the king."""
        least, most = self._recipe.far
        squares = self._free(mover[-1], self._attacking(mover[-1], self._king)) & self._recipe.targets
        if mover[0] == "=":
            squares &= chess.BB_RANK_8
        elif mover == "P":
            squares &= ~(chess.BB_RANK_2 | chess.BB_RANK_1)
        near = [s for s in chess.scan_forward(squares) if least <= chess.square_distance(s, self._king) <= most]
        return self._rng.choice(near) if near else None

    def _guarded(self) -> bool:
        """Whether the king cannot take the mating piece; a guard is put down where one is needed."""
        if chess.square_distance(self._target, self._king) > 1:
            return True
        return self._attacked(self._target) or self._help(self._target)

    def _attacked(self, square: chess.Square) -> bool:
        occupied = self._board.occupied & ~chess.BB_SQUARES[self._king]
        return bool(self._board.attackers_mask(chess.WHITE, square, occupied))

    def _flights(self) -> list[chess.Square]:
        around = chess.BB_KING_ATTACKS[self._king] & ~self._board.occupied
        return [square for square in chess.scan_forward(around) if not self._attacked(square)]

    def _no_flight(self) -> bool:
        """Take every flight square."""
        for _ in range(8):
            flights = self._flights()
            if not flights:
                return True
            square = self._rng.choice(flights)
            ways = [self._wall, self._help]
            if self._rng.random() > self._recipe.walled:
                ways.reverse()
            if not any(way(square) for way in ways):
                return False
        return False

    def _wall(self, square: chess.Square) -> bool:
        """Fill the square with a black piece that can neither take the mating piece nor step in between."""
        here = chess.BB_SQUARES[square]
        guarded = self._line | chess.BB_SQUARES[self._target]
        for symbol in self._shuffled(self._recipe.wall):
            kind = PIECES[symbol].piece_type
            if self._free(symbol, here) and not reach(kind, chess.BLACK, square, self._board.occupied) & guarded:
                self._put(symbol, square)
                return True
        return False

    def _help(self, square: chess.Square) -> bool:
        """Attack the square by a white piece; preferably one that takes several flights at once."""
        board = self._board
        for symbol in self._shuffled(self._recipe.helpers)[:3]:
            where = self._free(symbol, self._attacking(symbol, square)) & ~self._reserved
            where &= ~self._attacking(symbol, self._king)
            if symbol == "K":
                where &= ~chess.BB_KING_ATTACKS[self._king]
            places = list(chess.scan_forward(where))
            if places:
                place = self._rng.choice(places)
                self._put(symbol, place)
                self._reserved |= chess.between(place, square) | chess.BB_SQUARES[place]
                return not board.attackers_mask(chess.BLACK, place) or symbol != "K"
        return False

    def _shuffled(self, symbols: str) -> list[str]:
        return list(dict.fromkeys(self._rng.sample(symbols, len(symbols))))

    def _white_king(self) -> bool:
        """Put the king somewhere out of the way, if it does not help: often where kings castle to."""
        board = self._board
        if board.king(chess.WHITE) is not None:
            return True
        away = ~(board.occupied | self._reserved | chess.BB_KING_ATTACKS[self._king])
        homes = chess.BB_RANK_1 | chess.BB_RANK_2
        for where in (homes & away, chess.BB_ALL & away):
            squares = list(chess.scan_forward(where))
            self._rng.shuffle(squares)
            for square in squares[:6]:
                if not board.attackers_mask(chess.BLACK, square):
                    self._put("K", square)
                    return True
        return False

    def _taken_back(self, mover: str) -> Built | None:
        """The position before the mating move."""
        board, target = self._board, self._target
        ways = list(self._sources(mover))
        if not ways:
            return None
        source, captures = self._rng.choice(ways)
        board.remove_piece_at(target)
        if captures:
            taken = [
                symbol
                for symbol in self._recipe.company
                if symbol.islower() and self._free(symbol, chess.BB_SQUARES[target])
            ]
            if not taken:
                return None
            self._put(self._rng.choice(taken), target)
        self._put("P" if mover[0] == "=" else mover, source)
        board.turn = chess.WHITE
        promotion = PIECES[mover[1]].piece_type if mover[0] == "=" else None
        path = chess.between(source, target) | chess.BB_SQUARES[source]
        return Built(
            board, chess.Move(source, target, promotion), self._reserved | path, self._line | chess.BB_SQUARES[target]
        )

    def _sources(self, mover: str) -> Iterator[tuple[chess.Square, bool]]:
        """From where the mating piece may have come, and whether it took something."""
        board, target = self._board, self._target
        piece = PIECES["P" if mover[0] == "=" else mover]
        if piece.piece_type == chess.PAWN:
            below = target - 8
            room = self._free("P", chess.BB_ALL) if mover[0] == "=" else _PAWN_RANKS & ~board.occupied
            if room & chess.BB_SQUARES[below]:
                yield below, False
                if chess.square_rank(below) == 2 and room & chess.BB_SQUARES[below - 8]:
                    yield below - 8, False
            sides = chess.BB_PAWN_ATTACKS[chess.BLACK][target] & room
            yield from ((square, True) for square in chess.scan_forward(sides))
            return
        occupied = board.occupied & ~chess.BB_SQUARES[target]
        seen = reach(piece.piece_type, chess.WHITE, self._king, occupied)
        start = reach(piece.piece_type, chess.WHITE, target, occupied) & ~occupied & ~seen
        captures = self._rng.random() < _CAPTURES
        yield from ((square, captures) for square in chess.scan_forward(start))


def room_for(board: chess.Board, piece: chess.Piece) -> chess.Bitboard:
    """The empty squares on which one more such piece may stand, if it may."""
    have = board.pieces_mask(piece.piece_type, piece.color)
    if have.bit_count() >= MOST[piece.piece_type]:
        return chess.BB_EMPTY
    if piece.piece_type == chess.PAWN:
        return _PAWN_RANKS & ~board.occupied
    if piece.piece_type == chess.BISHOP and have:
        other = chess.BB_DARK_SQUARES if have & chess.BB_LIGHT_SQUARES else chess.BB_LIGHT_SQUARES
        return other & ~board.occupied
    return chess.BB_ALL & ~board.occupied


def reach(kind: chess.PieceType, colour: chess.Color, square: chess.Square, occupied: chess.Bitboard) -> chess.Bitboard:
    """What a piece attacks from a square; for all but pawns also from where it would be attacked."""
    if kind == chess.PAWN:
        return chess.BB_PAWN_ATTACKS[colour][square]
    if kind == chess.KNIGHT:
        return chess.BB_KNIGHT_ATTACKS[square]
    if kind == chess.KING:
        return chess.BB_KING_ATTACKS[square]
    attacks = chess.BB_EMPTY
    if kind in (chess.BISHOP, chess.QUEEN):
        attacks |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if kind in (chess.ROOK, chess.QUEEN):
        attacks |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        attacks |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return attacks
