// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Deposit wallets delegate to this contract (EIP-7702). The station sweeps them and pays the gas, so a wallet needs no native coin.
///
/// A delegation stays until its wallet signs another one. It can only move tokens to the treasury, and only when the station
/// calls. Both addresses are fixed at creation. The contract has no storage, no owner and no call that its caller chooses.
/// Another treasury or station needs another contract at another address.
contract SweepDelegate {
    address public immutable treasury;
    address public immutable station;
    address private immutable self = address(this);

    /// What a batch moves from one wallet.
    struct Part {
        address wallet;
        uint256 amount;
    }

    /// A wallet of a batch failed. The batch continues, and the wallet keeps its balance.
    event SweepFailed(address indexed wallet, address indexed token);

    error NotTheStation();
    error TransferRefused();
    error TooLittleGas();

    constructor(address treasury_, address station_) {
        treasury = treasury_;
        station = station_;
    }

    /// Accepts native coin. The coin stays on the wallet, which sends it by itself and pays the gas with it.
    receive() external payable {}

    /// Runs at the address of a wallet: moves an amount of a token to the treasury. Coins that are not final yet stay.
    function sweep(address token, uint256 amount) external {
        if (msg.sender != station && msg.sender != self) revert NotTheStation();
        (bool done, bytes memory answer) = token.call(abi.encodeCall(Token.transfer, (treasury, amount)));
        // Tokens answer true or nothing (USDT).
        if (!done || (answer.length != 0 && !abi.decode(answer, (bool)))) revert TransferRefused();
    }

    /// Runs at the contract's own address: sweeps several wallets in one transaction of the station.
    /// @param gasEach gas of each wallet. The whole batch reverts when the gas does not suffice, so that no wallet fails for lack of gas.
    function sweepAll(address token, Part[] calldata parts, uint256 gasEach) external {
        if (msg.sender != station) revert NotTheStation();
        for (uint256 place = 0; place < parts.length; ++place) {
            address wallet = parts[place].wallet;
            // A call passes on at most 63/64 of the remaining gas.
            if (gasleft() * 63 / 64 < gasEach) revert TooLittleGas();
            bool done;
            // The answer is not copied, because a wallet that has delegated elsewhere may answer megabytes.
            bytes memory order = abi.encodeCall(SweepDelegate.sweep, (token, parts[place].amount));
            assembly ("memory-safe") {
                done := call(gasEach, wallet, 0, add(order, 0x20), mload(order), 0, 0)
            }
            if (!done) emit SweepFailed(wallet, token);
        }
    }
}

interface Token {
    function transfer(address to, uint256 value) external returns (bool);
}
