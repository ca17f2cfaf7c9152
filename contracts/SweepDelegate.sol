// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// What deposit wallets delegate to (EIP-7702), so that the station sweeps them and pays for the gas: a wallet needs no native coin.
///
/// A delegation stays until its wallet signs another one. All that it can ever do is to move tokens to the treasury, and only at
/// the station's word: both are fixed when the contract is made, it has no storage, no owner and no call that its caller chooses.
/// Another treasury, or another station, is another contract at another address.
contract SweepDelegate {
    address public immutable treasury;
    address public immutable station;
    address private immutable self = address(this);

    /// A batch goes on when a wallet of it fails: that one's balance is where it was.
    event SweepFailed(address indexed wallet, address indexed token);

    error NotTheStation();
    error TransferRefused();
    error TooLittleGas();

    constructor(address treasury_, address station_) {
        treasury = treasury_;
        station = station_;
    }

    /// A wallet is still paid in the native coin. What has come stays: the wallet sends it by itself, for it is gas.
    receive() external payable {}

    /// In the place of a wallet: its whole balance of a token moves to the treasury.
    function sweep(address token) external {
        if (msg.sender != station && msg.sender != self) revert NotTheStation();
        uint256 balance = Token(token).balanceOf(address(this));
        (bool done, bytes memory answer) = token.call(abi.encodeCall(Token.transfer, (treasury, balance)));
        // Tokens answer true, or nothing (USDT).
        if (!done || (answer.length != 0 && !abi.decode(answer, (bool)))) revert TransferRefused();
    }

    /// At the contract's own address: several wallets in one transaction of the station.
    /// @param gasEach what each gets. A batch that cannot give it to all is reverted whole, so that none fails for want of gas.
    function sweepAll(address token, address[] calldata wallets, uint256 gasEach) external {
        if (msg.sender != station) revert NotTheStation();
        for (uint256 place = 0; place < wallets.length; ++place) {
            address wallet = wallets[place];
            // A call hands on 63/64 of what is left at most.
            if (gasleft() * 63 / 64 < gasEach) revert TooLittleGas();
            bool done;
            // A wallet that has delegated elsewhere may answer megabytes: not one byte of it is copied.
            bytes memory order = abi.encodeCall(SweepDelegate.sweep, (token));
            assembly ("memory-safe") {
                done := call(gasEach, wallet, 0, add(order, 0x20), mload(order), 0, 0)
            }
            if (!done) emit SweepFailed(wallet, token);
        }
    }
}

interface Token {
    function balanceOf(address owner) external view returns (uint256);

    function transfer(address to, uint256 value) external returns (bool);
}
