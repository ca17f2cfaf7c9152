// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// The two functions of Multicall3 that the product calls. Public chains have Multicall3 itself; a local chain starts without it.
contract Multicall {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    error CallFailed();

    /// Runs the calls in their order. A call that may fail leaves a result without success.
    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 place = 0; place < calls.length; ++place) {
            Call3 calldata each = calls[place];
            (bool success, bytes memory returnData) = each.target.call(each.callData);
            if (!success && !each.allowFailure) revert CallFailed();
            results[place] = Result(success, returnData);
        }
    }

    function getEthBalance(address owner) external view returns (uint256) {
        return owner.balance;
    }
}
