"""Building mates backwards: place the king and the mating piece, cover every flight square, take back the last move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import chess

from vmevalkit.tasks.chess_task.families import MatePattern
from vmevalkit.tasks.chess_task.mates import MAX_PIECES

_CAPTURE_RATE = 0.25
"""How often the mating move is a capture."""
PIECES = {symbol: chess.Piece.from_symbol(symbol) for symbol in "PNBRQKpnbrqk"}
_PAWN_RANKS = chess.BB_ALL & ~chess.BB_BACKRANKS


@dataclass(frozen=True, slots=True)
class MatePosition:
    """A position before the mating move, and the squares that must stay free for it."""

    board: chess.Board
    move: chess.Move
    reserved: chess.Bitboard
    """Squares on which further pieces would prevent the mate."""
    guarded_squares: chess.Bitboard
    """Squares that no further black piece may attack: it could capture the mating piece or block its line."""


def build_mate(rng: Random, pattern: MatePattern) -> MatePosition | None:
    """Return a mate of a family from one attempt; None if the attempt fails."""
    return _MateBuilder(rng, pattern).build_mate()


class _MateBuilder:
    """One attempt at a mate of a family."""

    def __init__(self, rng: Random, pattern: MatePattern) -> None:
        self._rng, self._pattern = rng, pattern
        self._board = chess.Board(None)
        self._reserved = chess.BB_EMPTY
        self._king = rng.choice(pattern.kings)

    def build_mate(self) -> MatePosition | None:
        board, rng = self._board, self._rng
        self._put_piece("k", self._king)
        mover = rng.choice(self._pattern.movers)
        target = self._choose_target(mover)
        if target is None:
            return None
        self._put_piece(mover[-1], target)
        self._target = target
        self._line = chess.between(target, self._king)
        self._reserved |= self._line | chess.BB_SQUARES[target] | chess.BB_KING_ATTACKS[self._king]
        if not (self._ensure_guarded() and self._cover_flights() and self._place_white_king()):
            return None
        board.turn = chess.BLACK
        if not board.is_checkmate():
            return None
        return self._take_back_move(mover)

    def _put_piece(self, symbol: str, square: chess.Square) -> None:
        self._board.set_piece_at(square, PIECES[symbol])

    def _find_room(self, symbol: str, squares: chess.Bitboard) -> chess.Bitboard:
        """Return those of the squares on which one more such piece can be placed."""
        return squares & find_room(self._board, PIECES[symbol])

    def _find_attack_squares(self, symbol: str, square: chess.Square) -> chess.Bitboard:
        """Return the squares from which a white piece would attack the square."""
        board, kind = self._board, PIECES[symbol].piece_type
        return find_attacks(kind, chess.BLACK, square, board.occupied & ~chess.BB_SQUARES[self._king])

    def _choose_target(self, mover: str) -> chess.Square | None:
        """Return the square on which the mating piece ends, attacking the king."""
        least, most = self._pattern.distances
        squares = self._find_room(mover[-1], self._find_attack_squares(mover[-1], self._king)) & self._pattern.targets
        if mover[0] == "=":
            squares &= chess.BB_RANK_8
        elif mover == "P":
            squares &= ~(chess.BB_RANK_2 | chess.BB_RANK_1)
        near = [s for s in chess.scan_forward(squares) if least <= chess.square_distance(s, self._king) <= most]
        return self._rng.choice(near) if near else None

    def _ensure_guarded(self) -> bool:
        """Place a guard of the mating piece if the king could capture it. Return False if there is no place for one."""
        if chess.square_distance(self._target, self._king) > 1:
            return True
        return self._is_attacked(self._target) or self._attack_square(self._target)

    def _is_attacked(self, square: chess.Square) -> bool:
        occupied = self._board.occupied & ~chess.BB_SQUARES[self._king]
        return bool(self._board.attackers_mask(chess.WHITE, square, occupied))

    def _list_flights(self) -> list[chess.Square]:
        around = chess.BB_KING_ATTACKS[self._king] & ~self._board.occupied
        return [square for square in chess.scan_forward(around) if not self._is_attacked(square)]

    def _cover_flights(self) -> bool:
        """Block or attack every flight square. Return False if that fails."""
        for _ in range(8):
            flights = self._list_flights()
            if not flights:
                return True
            square = self._rng.choice(flights)
            ways = [self._block_square, self._attack_square]
            if self._rng.random() > self._pattern.blocked_share:
                ways.reverse()
            if not any(way(square) for way in ways):
                return False
        return False

    def _block_square(self, square: chess.Square) -> bool:
        """Place a black piece on the square that can neither capture the mating piece nor block its line."""
        here = chess.BB_SQUARES[square]
        guarded = self._line | chess.BB_SQUARES[self._target]
        for symbol in self._shuffle(self._pattern.blockers):
            kind = PIECES[symbol].piece_type
            if (
                self._find_room(symbol, here)
                and not find_attacks(kind, chess.BLACK, square, self._board.occupied) & guarded
            ):
                self._put_piece(symbol, square)
                return True
        return False

    def _attack_square(self, square: chess.Square) -> bool:
        """Place a white piece that attacks the square."""
        board = self._board
        for symbol in self._shuffle(self._pattern.supporters)[:3]:
            where = self._find_room(symbol, self._find_attack_squares(symbol, square)) & ~self._reserved
            where &= ~self._find_attack_squares(symbol, self._king)
            if symbol == "K":
                where &= ~chess.BB_KING_ATTACKS[self._king]
            places = list(chess.scan_forward(where))
            if places:
                place = self._rng.choice(places)
                self._put_piece(symbol, place)
                self._reserved |= chess.between(place, square) | chess.BB_SQUARES[place]
                return not board.attackers_mask(chess.BLACK, place) or symbol != "K"
        return False

    def _shuffle(self, symbols: str) -> list[str]:
        return list(dict.fromkeys(self._rng.sample(symbols, len(symbols))))

    def _place_white_king(self) -> bool:
        """Place the white king, if it is not on the board yet: preferably on one of the first two ranks."""
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
                    self._put_piece("K", square)
                    return True
        return False

    def _take_back_move(self, mover: str) -> MatePosition | None:
        """Return the position before the mating move."""
        board, target = self._board, self._target
        ways = list(self._list_sources(mover))
        if not ways:
            return None
        source, captures = self._rng.choice(ways)
        board.remove_piece_at(target)
        if captures:
            taken = [
                symbol
                for symbol in self._pattern.distractors
                if symbol.islower() and self._find_room(symbol, chess.BB_SQUARES[target])
            ]
            if not taken:
                return None
            self._put_piece(self._rng.choice(taken), target)
        self._put_piece("P" if mover[0] == "=" else mover, source)
        board.turn = chess.WHITE
        promotion = PIECES[mover[1]].piece_type if mover[0] == "=" else None
        path = chess.between(source, target) | chess.BB_SQUARES[source]
        return MatePosition(
            board, chess.Move(source, target, promotion), self._reserved | path, self._line | chess.BB_SQUARES[target]
        )

    def _list_sources(self, mover: str) -> Iterator[tuple[chess.Square, bool]]:
        """Yield the squares from which the mating piece can have come, and whether its move is a capture."""
        board, target = self._board, self._target
        piece = PIECES["P" if mover[0] == "=" else mover]
        if piece.piece_type == chess.PAWN:
            below = target - 8
            room = self._find_room("P", chess.BB_ALL) if mover[0] == "=" else _PAWN_RANKS & ~board.occupied
            if room & chess.BB_SQUARES[below]:
                yield below, False
                if chess.square_rank(below) == 2 and room & chess.BB_SQUARES[below - 8]:
                    yield below - 8, False
            sides = chess.BB_PAWN_ATTACKS[chess.BLACK][target] & room
            yield from ((square, True) for square in chess.scan_forward(sides))
            return
        occupied = board.occupied & ~chess.BB_SQUARES[target]
        seen = find_attacks(piece.piece_type, chess.WHITE, self._king, occupied)
        start = find_attacks(piece.piece_type, chess.WHITE, target, occupied) & ~occupied & ~seen
        captures = self._rng.random() < _CAPTURE_RATE
        yield from ((square, captures) for square in chess.scan_forward(start))


def find_room(board: chess.Board, piece: chess.Piece) -> chess.Bitboard:
    """Return the empty squares on which one more such piece can be placed."""
    existing = board.pieces_mask(piece.piece_type, piece.color)
    if existing.bit_count() >= MAX_PIECES[piece.piece_type]:
        return chess.BB_EMPTY
    if piece.piece_type == chess.PAWN:
        return _PAWN_RANKS & ~board.occupied
    if piece.piece_type == chess.BISHOP and existing:
        other = chess.BB_DARK_SQUARES if existing & chess.BB_LIGHT_SQUARES else chess.BB_LIGHT_SQUARES
        return other & ~board.occupied
    return chess.BB_ALL & ~board.occupied


def find_attacks(
    kind: chess.PieceType, colour: chess.Color, square: chess.Square, occupied: chess.Bitboard
) -> chess.Bitboard:
    """Return the squares that a piece attacks from a square. Except for pawns, the same kind attacks it from there."""
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
